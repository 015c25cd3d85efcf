import { Button, Group, Text } from "@mantine/core";
import { REQUESTS_TEXTS as TEXTS } from "../texts/request-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import type { RequestPages } from "./use-request-pages.ts";

/** The way to older requests, and how far back was looked. */
export function OlderRequests({ pages }: { readonly pages: RequestPages }) {
  if (pages.requests === undefined) return null;
  if (!pages.hasOlder) {
    return (
      <Text size="sm" c="dimmed" ta="center" mt="md" role="status">
        {pages.requests.length > 0 && TEXTS.noOlder}
      </Text>
    );
  }
  const isSearching = pages.isFruitless && pages.isLoadingOlder;
  return (
    <Group justify="center" gap="sm" mt="md">
      <Text size="sm" c="dimmed" component="div" role="status">
        {pages.isFruitless && (
          <>
            {isSearching ? TEXTS.goingOn : TEXTS.stopped} {TEXTS.searchedBack}{" "}
            <ExactTime at={pages.searchedBackTo ?? null} as="moment" isStop={false} />.
          </>
        )}
      </Text>
      {!isSearching && (
        <Button variant="default" onClick={pages.loadOlder} loading={pages.isLoadingOlder}>
          {pages.isFruitless ? TEXTS.lookFurther : TEXTS.older}
        </Button>
      )}
    </Group>
  );
}
