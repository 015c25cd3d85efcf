import type { KeyView } from "@lineup/api/dashboard/keys";
import { Group, Text } from "@mantine/core";
import { KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { type Fact, FactList } from "../ui/fact-list.tsx";
import { SectionCard } from "../ui/section-card.tsx";

/** What is known of a key beside its use. */
export function KeyFacts({ apiKey }: { readonly apiKey: KeyView }) {
  const facts: Fact[] = [
    { name: TEXTS.prefix, value: <Text span inherit ff="monospace">{`${apiKey.shownPrefix}…`}</Text> },
    {
      name: TEXTS.id,
      value: (
        <Group gap={4} wrap="nowrap">
          <Text span inherit ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {apiKey.id}
          </Text>
          <CopyIconButton value={apiKey.id} label={TEXTS.copyId} />
        </Group>
      ),
    },
    { name: TEXTS.created, value: <ExactTime at={apiKey.createdAt} as="day" /> },
    { name: TEXTS.createdBy, value: apiKey.createdBy },
    { name: TEXTS.lastUsed, value: <ExactTime at={apiKey.lastUsedAt} orElse={TEXTS.notYet} /> },
    apiKey.revokedAt === null
      ? { name: TEXTS.expires, value: <ExactTime at={apiKey.expiresAt} /> }
      : { name: TEXTS.revoked, value: <ExactTime at={apiKey.revokedAt} /> },
  ];
  return (
    <SectionCard title={TEXTS.facts}>
      <FactList facts={facts} />
    </SectionCard>
  );
}
