/** PageSkeleton: stands while a page's script comes. BlockSkeleton { height } and LinesSkeleton { lines } stand for parts of one. */
import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";

export function PageSkeleton() {
  return (
    <div aria-busy>
      <VisuallyHidden role="status">{COMMON_TEXTS.loading}</VisuallyHidden>
      <Skeleton height={28} width={220} mb={10} />
      <Skeleton height={14} width="min(420px, 80%)" mb="xl" />
      <Skeleton height={280} radius="lg" />
    </div>
  );
}

export function BlockSkeleton({ height }: { readonly height: number }) {
  return (
    <div aria-busy>
      <VisuallyHidden role="status">{COMMON_TEXTS.loading}</VisuallyHidden>
      <Skeleton height={height} />
    </div>
  );
}

const WIDTHS = ["85%", "70%", "92%", "60%"];

export function LinesSkeleton({ lines }: { readonly lines: number }) {
  return (
    <Stack gap={10} aria-busy>
      <VisuallyHidden role="status">{COMMON_TEXTS.loading}</VisuallyHidden>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these lines are alike and never move.
        <Skeleton key={line} height={14} width={WIDTHS[line % WIDTHS.length] ?? "70%"} />
      ))}
    </Stack>
  );
}
