import type { Contract } from "@lineup/api/contracts";
import type { Player } from "@lineup/api/players";
import { Group, Stack, Text } from "@mantine/core";
import { useRecords } from "../records/use-records.ts";
import { PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { TextLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { sayUtcDay } from "../ui/time-words.ts";

/** Contracts of the player, the latest first. */
export function PlayerContracts({ orgId, player }: { readonly orgId: string; readonly player: Player }) {
  const contracts = useRecords("contract");
  const own = (contracts.all ?? [])
    .filter(({ playerId }) => playerId === player.id)
    .toSorted((a, b) => b.startDate - a.startDate);
  const toContracts = (
    <TextLink size="sm" to="/orgs/$orgId/data/contracts" params={{ orgId }} search={{ q: player.ign }}>
      {TEXTS.allContracts}
    </TextLink>
  );
  return (
    <SectionCard title={TEXTS.contracts} actions={own.length > 0 ? toContracts : undefined}>
      {contracts.failure !== null ? (
        <LoadFault failure={contracts.failure} onRetry={contracts.retry} />
      ) : !contracts.isComplete ? (
        <LinesSkeleton lines={2} />
      ) : own.length === 0 ? (
        <Text size="sm" c="dimmed">
          {TEXTS.contractsEmpty}
        </Text>
      ) : (
        <Stack gap={8}>
          {own.map((contract) => (
            <ContractLine key={contract.id} orgId={orgId} contract={contract} />
          ))}
        </Stack>
      )}
    </SectionCard>
  );
}

interface ContractLineProps {
  readonly orgId: string;
  readonly contract: Contract;
}

function ContractLine({ orgId, contract: { id, kind, status, startDate, endDate } }: ContractLineProps) {
  return (
    <Group gap={6} justify="space-between">
      <TextLink size="sm" to="/orgs/$orgId/data/contracts" params={{ orgId }} search={{ open: id }}>
        {TEXTS.contractKinds[kind]}, {TEXTS.contractStates[status].toLowerCase()}
      </TextLink>
      <Text size="sm" c="dimmed">
        {sayUtcDay(startDate)} – {endDate === null ? TEXTS.openEnded : sayUtcDay(endDate)}
      </Text>
    </Group>
  );
}
