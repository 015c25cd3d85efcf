/** A key's requests over time by status, and the endpoints it called most, over a span that stands in the address. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { USAGE_SPANS } from "@lineup/api/dashboard/keys";
import { SegmentedControl, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { live } from "../client/live.ts";
import { useAction } from "../client/use-action.ts";
import { KEY_TEXTS as TEXTS, USAGE_SPAN_LEADS, USAGE_SPAN_TEXTS } from "../texts/key-texts.ts";
import { BarSeries } from "../ui/bar-series.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { sayDuration, sayNumber } from "../ui/number-words.ts";
import { SectionCard } from "../ui/section-card.tsx";
import { BlockSkeleton, LinesSkeleton } from "../ui/skeletons.tsx";
import { sayDay, sayDayAndTime, sayTime } from "../ui/time-words.ts";
import { readChoice } from "./search-values.ts";
import { useSearchState } from "./use-search-state.ts";

type Usage = ActionResult<"getKeyUsage">;
type Span = (typeof USAGE_SPANS)[number];

const SPANS = Object.keys(USAGE_SPAN_TEXTS) as Span[];
const LIVE_MS = 5_000;

const SERIES = [
  { name: TEXTS.answered, tone: "info" },
  { name: TEXTS.refused, tone: "warn" },
  { name: TEXTS.failed, tone: "bad" },
] as const;

const SAY_STEP: Readonly<Record<Span, (at: number) => string>> = {
  "24h": sayTime,
  "7d": sayDayAndTime,
  "30d": sayDay,
  "400d": sayDay,
};

function readSpan(search: Readonly<Record<string, unknown>>): { readonly span?: Span } {
  const span = readChoice(search.span, SPANS);
  return span === undefined ? {} : { span };
}

export interface KeyUsageProps {
  readonly orgId: string;
  readonly keyId: string;
  /** Stands beside the endpoints. */
  readonly beside: ReactNode;
}

export function KeyUsage({ orgId, keyId, beside }: KeyUsageProps) {
  const [{ span = "24h" }, setSearch] = useSearchState(readSpan);
  const usage = useAction("getKeyUsage", { path: { orgId, keyId }, query: { span } }, live(LIVE_MS));
  const choose = (
    <SegmentedControl
      size="xs"
      aria-label={TEXTS.span}
      value={span}
      onChange={(value) => setSearch({ span: readChoice(value, SPANS) })}
      data={SPANS.map((value) => ({ value, label: USAGE_SPAN_TEXTS[value] }))}
    />
  );
  const fault = usage.data === undefined && usage.error !== null && (
    <LoadFault failure={usage.error} onRetry={usage.refetch} />
  );
  return (
    <>
      <SectionCard title={TEXTS.usage} lead={usage.data && summarize(usage.data)} actions={choose}>
        {fault ||
          (usage.data === undefined ? <BlockSkeleton height={220} /> : <UsageBars usage={usage.data} span={span} />)}
      </SectionCard>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {beside}
        <SectionCard title={TEXTS.endpoints} lead={USAGE_SPAN_LEADS[span]}>
          {usage.data === undefined ? <LinesSkeleton lines={4} /> : <EndpointTable endpoints={usage.data.endpoints} />}
        </SectionCard>
      </SimpleGrid>
    </>
  );
}

function UsageBars({ usage, span }: { readonly usage: Usage; readonly span: Span }) {
  return (
    <BarSeries
      label={TEXTS.usageCaption}
      stepName={TEXTS.time}
      sayStep={SAY_STEP[span]}
      series={SERIES}
      steps={usage.steps.map(({ at, answered, refused, failed }) => ({ at, values: [answered, refused, failed] }))}
    />
  );
}

function summarize({ steps }: Usage): string {
  const sum = (pick: (step: Usage["steps"][number]) => number) => steps.reduce((total, step) => total + pick(step), 0);
  const [answered, refused, failed] = [sum((s) => s.answered), sum((s) => s.refused), sum((s) => s.failed)];
  const total = answered + refused + failed;
  if (total === 0) return TEXTS.noUsage;
  return TEXTS.usageSummary(sayNumber(total), sayNumber(answered), sayNumber(refused), sayNumber(failed));
}

type EndpointUse = Usage["endpoints"][number];

const ENDPOINT_COLUMNS: readonly Column<EndpointUse>[] = [
  {
    key: "endpoint",
    header: TEXTS.endpoint,
    isHeading: true,
    cell: ({ route }) => (
      <Text span inherit ff="monospace" fz="0.8125rem" fw={500}>
        {route}
      </Text>
    ),
  },
  { key: "requests", header: TEXTS.requests, align: "right", cell: ({ requests }) => sayNumber(requests) },
  { key: "errors", header: TEXTS.errors, align: "right", cell: ({ errors }) => sayNumber(errors) },
  { key: "average", header: TEXTS.average, align: "right", cell: ({ averageMs }) => sayDuration(averageMs) },
];

function EndpointTable({ endpoints }: { readonly endpoints: readonly EndpointUse[] }) {
  return (
    <DataTable
      label={TEXTS.endpointsCaption}
      phone="scroll"
      columns={ENDPOINT_COLUMNS}
      rows={endpoints}
      rowKey={({ route }) => route}
      empty={<Text c="dimmed">{TEXTS.noUsage}</Text>}
    />
  );
}
