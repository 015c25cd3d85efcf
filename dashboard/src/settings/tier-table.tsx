import { TIER_NAMES, TIERS, type Tier } from "@lineup/api/tiers";
import { Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { usePerson } from "../client/session.ts";
import { ORGANIZATION_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { TextLink } from "../ui/links.tsx";
import { sayNumber } from "../ui/number-words.ts";
import { SectionCard } from "../ui/section-card.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";

export interface TierTableProps {
  readonly tier: Tier;
  /** How much of it is used. */
  readonly children: ReactNode;
}

/** All four tiers compared, the current one marked. */
export function TierTable({ tier, children }: TierTableProps) {
  const isOperator = usePerson()?.isOperator === true;
  return (
    <SectionCard title={TEXTS.tier} lead={TEXTS.tierIntro}>
      <Stack gap="md">
        <DataTable
          label={TEXTS.tierCaption}
          columns={makeColumns(tier)}
          rows={TIER_NAMES}
          rowKey={(name) => name}
          phone="scroll"
        />
        <div>{children}</div>
        <Text size="sm" c="dimmed">
          {isOperator ? (
            <>
              {TEXTS.tierAskOperator}{" "}
              <TextLink inherit to="/operator/organizations" underline="always">
                {TEXTS.toOperator}
              </TextLink>
            </>
          ) : (
            TEXTS.tierAsk
          )}
        </Text>
      </Stack>
    </SectionCard>
  );
}

function makeColumns(current: Tier): readonly Column<Tier>[] {
  return [
    {
      key: "tier",
      header: TEXTS.tierName,
      isHeading: true,
      cell: (tier) => (
        <Group gap="sm" mih={26}>
          {tier}
          {tier === current && <StatusBadge icon={IconCircleCheck} word={TEXTS.current} tone="info" />}
        </Group>
      ),
    },
    { key: "minute", header: TEXTS.perMinute, align: "right", cell: (tier) => sayNumber(TIERS[tier].perMinute) },
    { key: "day", header: TEXTS.perDay, align: "right", cell: (tier) => sayNumber(TIERS[tier].perDay) },
  ];
}
