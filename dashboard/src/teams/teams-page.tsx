/** Teams: a card each, and what can be done with it. */
import { GAMES } from "@lineup/api/roles";
import type { Team } from "@lineup/api/teams";
import { Button, Group, Text } from "@mantine/core";
import { IconPlus, IconSearchOff, IconUsersGroup } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useAllows, useOrganization } from "../client/session.ts";
import { useSearchState } from "../compliance/use-search-state.ts";
import { DeleteRecordDialog } from "../records/delete-record-dialog.tsx";
import { useRecordWrite } from "../records/use-record-write.ts";
import { type Records, useRecords } from "../records/use-records.ts";
import { TEAM_TEXTS, TEAMS_TEXTS as TEXTS } from "../texts/team-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { FilterSelect } from "../ui/filter-select.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { BlockSkeleton } from "../ui/skeletons.tsx";
import { isFocusLost } from "../ui/use-focus-back.ts";
import { TeamCard, type TeamQuestion } from "./team-card.tsx";
import { TeamDialog } from "./team-dialog.tsx";
import classes from "./teams-page.module.css";
import { filterTeams, readTeamsSearch, TEAM_STATUS_FILTERS, type TeamsSearch } from "./teams-search.ts";
import { useNextEvents, useTeamColumns } from "./use-team-glance.ts";

const SKELETON_PX = 360;
const SHOWN_STEP = 30;

type Question = { readonly act: "create" } | { readonly act: "edit" | "delete"; readonly team: Team };

export function TeamsPage() {
  const mayManage = useAllows("data:manage");
  const teams = useRecords("team");
  const [question, setQuestion] = useState<Question | null>(null);
  const isEmpty = teams.isComplete && teams.all?.length === 0;
  const create = mayManage ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setQuestion({ act: "create" })}>
      {TEXTS.create}
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} actions={isEmpty ? undefined : create} />
      {teams.failure !== null && <LoadFault failure={teams.failure} onRetry={teams.retry} />}
      {isEmpty && (
        <EmptyState icon={<IconUsersGroup size={22} />} title={TEXTS.emptyTitle} action={create}>
          {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
        </EmptyState>
      )}
      {teams.failure === null && !isEmpty && <TeamList teams={teams} onAsk={setQuestion} />}
      <Dialogs question={question} onClose={() => setQuestion(null)} />
    </>
  );
}

function Dialogs({ question, onClose }: { readonly question: Question | null; readonly onClose: () => void }) {
  if (question === null) return null;
  if (question.act === "create") return <TeamDialog team={undefined} onClose={onClose} />;
  const { team } = question;
  if (question.act === "edit") return <TeamDialog team={team} onClose={onClose} />;
  return <DeleteRecordDialog kind="team" record={team} name={team.name} onClose={onClose} />;
}

interface TeamListProps {
  readonly teams: Records<"team">;
  readonly onAsk: (question: Question) => void;
}

function TeamList({ teams: { all }, onAsk }: TeamListProps) {
  const [search, setSearch] = useSearchState(readTeamsSearch);
  const found = useMemo(() => (all === undefined ? undefined : filterTeams(all, search)), [all, search]);
  if (all === undefined || found === undefined) return <BlockSkeleton height={SKELETON_PX} />;
  const clear = (
    <Button variant="default" onClick={() => setSearch({ q: undefined, game: undefined, status: undefined })}>
      {TEXTS.clear}
    </Button>
  );
  return (
    <>
      <TeamFilterBar search={search} setSearch={setSearch} shown={found.length} all={all.length} />
      {found.length === 0 ? (
        <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.nothingTitle} action={clear}>
          {TEXTS.nothingBody}
        </EmptyState>
      ) : (
        <TeamCards teams={found} onAsk={onAsk} />
      )}
    </>
  );
}

interface TeamFilterBarProps {
  readonly search: TeamsSearch;
  readonly setSearch: (change: { readonly [K in keyof TeamsSearch]?: TeamsSearch[K] | undefined }) => void;
  readonly shown: number;
  readonly all: number;
}

function TeamFilterBar({ search, setSearch, shown, all }: TeamFilterBarProps) {
  return (
    <Group gap="xs" mb="sm" wrap="wrap">
      <SearchField label={TEXTS.search} hint={TEXTS.searchHint} value={search.q} onChange={(q) => setSearch({ q })} />
      <FilterSelect
        label={TEXTS.gameFilter}
        isLabelHidden
        any={TEXTS.anyGame}
        choices={GAMES.map((game) => ({ value: game, label: game }))}
        value={search.game}
        onChange={(game) => setSearch({ game: GAMES.find((each) => each === game) })}
        w={130}
      />
      <FilterSelect
        label={TEXTS.statusFilter}
        isLabelHidden
        any={TEXTS.activeOnly}
        choices={TEAM_STATUS_FILTERS.map((status) => ({ value: status, label: TEXTS.statusNames[status] }))}
        value={search.status}
        onChange={(status) => setSearch({ status: TEAM_STATUS_FILTERS.find((each) => each === status) })}
        w={190}
      />
      <Text size="sm" c="dimmed" role="status" ml="auto">
        {TEXTS.count(shown, all)}
      </Text>
    </Group>
  );
}

interface TeamCardsProps {
  readonly teams: readonly Team[];
  readonly onAsk: (question: Question) => void;
}

function TeamCards({ teams, onAsk }: TeamCardsProps) {
  const { id: orgId } = useOrganization();
  const [limit, setLimit] = useState(SHOWN_STEP);
  const shown = useMemo(() => teams.slice(0, limit), [teams, limit]);
  const columnOf = useTeamColumns(shown);
  const list = useRef<HTMLUListElement>(null);
  const changedIndex = useRef<number>(null);
  useEffect(() => {
    if (changedIndex.current === null || !isFocusLost()) return;
    // Its card may be gone by now: then the one in its place has the focus.
    const card = list.current?.children[Math.min(changedIndex.current, shown.length - 1)];
    card?.querySelector<HTMLElement>("[aria-haspopup=menu]")?.focus();
    changedIndex.current = null;
  }, [shown]);
  const nextOf = useNextEvents();
  const { mutate: update } = useRecordWrite("updateTeam", {
    undo: "fields",
    says: ({ name, status }) => (status === "active" ? TEAM_TEXTS.madeActive(name) : TEAM_TEXTS.madeInactive(name)),
  });
  const onAct = useCallback(
    (act: TeamQuestion, team: Team) => {
      if (act !== "status") return onAsk({ act, team });
      changedIndex.current = [...(list.current?.children ?? [])].findIndex((card) => card.id === team.id);
      const status = team.status === "active" ? "inactive" : "active";
      update({ path: { orgId, recordId: team.id }, body: { status, updatedAt: team.updatedAt } });
    },
    [onAsk, update, orgId],
  );
  const left = teams.length - shown.length;
  return (
    <>
      <ul ref={list} className={classes.cards} aria-label={TEXTS.list}>
        {shown.map((team) => (
          <TeamCard key={team.id} team={team} column={columnOf(team)} next={nextOf(team.id)} onAct={onAct} />
        ))}
      </ul>
      {left > 0 && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => setLimit(limit + SHOWN_STEP)}>
            {TEXTS.more(Math.min(left, SHOWN_STEP))}
          </Button>
        </Group>
      )}
    </>
  );
}
