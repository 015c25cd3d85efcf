/** Players › one player: facts to change where they stand, where they have been, contracts, history, and what the API shows of them. */
import type { Player } from "@lineup/api/players";
import { Button, SimpleGrid, Stack } from "@mantine/core";
import { IconEraser, IconTrash, IconUserOff } from "@tabler/icons-react";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { DeleteRecordDialog } from "../records/delete-record-dialog.tsx";
import { nameTeam } from "../records/name-team.ts";
import { PairSection } from "../records/pair-section.tsx";
import { EXTERNAL_IDS, STATS } from "../records/pairs.ts";
import { RecordHistory } from "../records/record-history.tsx";
import { useRecords } from "../records/use-records.ts";
import { ERASE_TEXTS, PLAYERS_TEXTS, PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { BackLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { ErasePersonDialog } from "./erase-person-dialog.tsx";
import { PlayerContracts } from "./player-contracts.tsx";
import { PlayerFacts } from "./player-facts.tsx";
import { PlayerJson } from "./player-json.tsx";
import { lookOfStatus } from "./player-looks.ts";
import { TeamTimeline } from "./team-timeline.tsx";

export function PlayerPage() {
  const { playerId = "" } = useParams({ strict: false });
  // Another player's page begins anew: nothing of this one stays.
  return <OnePlayer key={playerId} playerId={playerId} />;
}

function OnePlayer({ playerId }: { readonly playerId: string }) {
  const { id: orgId } = useOrganization();
  const players = useRecords("player");
  const known = players.byId.get(playerId);
  // Thousands may come before this one does.
  const [isFirst] = useState(known === undefined);
  const alone = useAction("getPlayer", { path: { orgId, recordId: playerId } }, { enabled: isFirst, retry: false });
  const player = known ?? (players.isComplete ? undefined : alone.data);
  if (player !== undefined) return <PlayerDetails orgId={orgId} player={player} />;
  if (players.isComplete || alone.error !== null) {
    return <MissingPlayer orgId={orgId} failure={players.isComplete ? null : alone.error} onRetry={alone.refetch} />;
  }
  return <PageSkeleton />;
}

interface MissingPlayerProps {
  readonly orgId: string;
  readonly failure: RequestFailure | null;
  readonly onRetry: () => unknown;
}

function MissingPlayer({ orgId, failure, onRetry }: MissingPlayerProps) {
  return (
    <>
      <PageHeader title={TEXTS.missingTitle} back={<ToPlayers orgId={orgId} />} />
      {failure === null || failure.code === "NOT_FOUND" ? (
        <EmptyState icon={<IconUserOff size={22} />} title={TEXTS.missingLead}>
          {TEXTS.missingBody}
        </EmptyState>
      ) : (
        <LoadFault failure={failure} onRetry={onRetry} />
      )}
    </>
  );
}

function ToPlayers({ orgId }: { readonly orgId: string }) {
  return (
    <BackLink to="/orgs/$orgId/data/players" params={{ orgId }}>
      {PLAYERS_TEXTS.title}
    </BackLink>
  );
}

type ShownDialog = "delete" | "erase" | null;

function PlayerDetails({ orgId, player }: { readonly orgId: string; readonly player: Player }) {
  const mayManage = useAllows("data:manage");
  const teams = useRecords("team");
  const [shown, setShown] = useState<ShownDialog>(null);
  const teamName = nameTeam(teams.byId, player.teamId, TEXTS.noTeam);
  return (
    <>
      <PageHeader
        title={player.ign}
        back={<ToPlayers orgId={orgId} />}
        badge={<StatusBadge {...lookOfStatus(player.status)} />}
        {...(player.realName !== "" && { lead: player.realName })}
        actions={<PlayerActions onShow={setShown} />}
      />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Stack gap="md">
            <PlayerFacts player={player} teamName={teamName} mayManage={mayManage} />
            <PairSection update="updatePlayer" record={player} field={STATS} mayManage={mayManage} />
            <PairSection update="updatePlayer" record={player} field={EXTERNAL_IDS} mayManage={mayManage} />
          </Stack>
          <Stack gap="md">
            <TeamTimeline player={player} />
            <PlayerContracts orgId={orgId} player={player} />
            <PlayerJson player={player} />
          </Stack>
        </SimpleGrid>
        <SectionCard title={TEXTS.history}>
          <RecordHistory recordId={player.id} />
        </SectionCard>
      </Stack>
      <PlayerDialogs orgId={orgId} player={player} shown={shown} onClose={() => setShown(null)} />
    </>
  );
}

function PlayerActions({ onShow }: { readonly onShow: (shown: ShownDialog) => void }) {
  const mayManage = useAllows("data:manage");
  const mayErase = useAllows("data:erase");
  return (
    <>
      {mayManage && (
        <Button
          variant="light"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onShow("delete")}
        >
          {TEXTS.delete}
        </Button>
      )}
      {mayErase && (
        <Button
          variant="light"
          color="red"
          leftSection={<IconEraser size={16} aria-hidden />}
          onClick={() => onShow("erase")}
        >
          {ERASE_TEXTS.action}
        </Button>
      )}
    </>
  );
}

interface PlayerDialogsProps {
  readonly orgId: string;
  readonly player: Player;
  readonly shown: ShownDialog;
  readonly onClose: () => void;
}

function PlayerDialogs({ orgId, player, shown, onClose }: PlayerDialogsProps) {
  const navigate = useNavigate();
  const leave = () => void navigate({ to: "/orgs/$orgId/data/players", params: { orgId } });
  if (shown === "delete") {
    return <DeleteRecordDialog kind="player" record={player} name={player.ign} onClose={onClose} onDeleted={leave} />;
  }
  return shown === "erase" ? <ErasePersonDialog person={player} onClose={onClose} onErased={leave} /> : null;
}
