/** Roster: a board with a column a team, of today or of an earlier day. */
import { GAMES } from "@lineup/api/roles";
import { Group } from "@mantine/core";
import { useMemo } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useAllows } from "../client/session.ts";
import { useSearchState } from "../compliance/use-search-state.ts";
import { useRecords } from "../records/use-records.ts";
import { compareTeams } from "../teams/teams-search.ts";
import { ROSTER_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { NoTeams } from "./board-notices.tsx";
import { DayBar } from "./day-bar.tsx";
import { PastBoard } from "./past-board.tsx";
import { dayNumberOf, readDayNumber, writeDayNumber } from "./roster-days.ts";
import { type RosterSearch, type RosterSearchChange, readRosterSearch } from "./roster-search.ts";
import { TodaysBoard } from "./todays-board.tsx";
import { useTodaysRoster } from "./use-roster-board.ts";
import { useRosterMoves } from "./use-roster-moves.ts";

export function RosterPage() {
  const mayManage = useAllows("data:manage");
  const [search, setSearch] = useSearchState(readRosterSearch);
  const teams = useRecords("team");
  const isEmpty = teams.isComplete && teams.all?.length === 0;
  const day = findPastDay(search);
  const lead = mayManage ? TEXTS.intro : TEXTS.introReadOnly;
  return (
    <>
      <PageHeader title={TEXTS.title} lead={day === undefined ? lead : TEXTS.introPast} />
      {isEmpty ? <NoTeams /> : <Boards day={day} search={search} setSearch={setSearch} />}
    </>
  );
}

/** Undefined for today, and for what is no day before it. */
function findPastDay({ day }: RosterSearch): number | undefined {
  const asked = day === undefined ? undefined : readDayNumber(day);
  return asked !== undefined && asked < dayNumberOf(serverNow()) ? asked : undefined;
}

interface SearchProps {
  readonly search: RosterSearch;
  readonly setSearch: (change: RosterSearchChange) => void;
}

function Boards({ day, search, setSearch }: SearchProps & { readonly day: number | undefined }) {
  const moves = useRosterMoves();
  const { game, team } = search;
  const filters = useMemo(
    () => ({ ...(game !== undefined && { game }), ...(team !== undefined && { team }) }),
    [game, team],
  );
  const today = useTodaysRoster(filters);
  const chooseDay = (chosen: number | undefined) =>
    setSearch({ day: chosen === undefined ? undefined : writeDayNumber(chosen) });
  return (
    <>
      <Group gap="xs" mb="sm" wrap="wrap">
        <TeamFilters search={search} setSearch={setSearch} />
        <DayBar day={day} first={today.firstJoined} onChoose={chooseDay} />
      </Group>
      {day === undefined ? (
        <TodaysBoard today={today} moves={moves} search={search} setSearch={setSearch} />
      ) : (
        <PastBoard day={day} filters={filters} onLeave={() => chooseDay(undefined)} />
      )}
    </>
  );
}

function TeamFilters({ search, setSearch }: SearchProps) {
  const { all } = useRecords("team");
  const choices = useMemo(
    () =>
      (all ?? [])
        .filter(({ game, status }) => status === "active" && (search.game === undefined || search.game === game))
        .toSorted(compareTeams)
        .map(({ id, name }) => ({ value: id, label: name })),
    [all, search.game],
  );
  return (
    <>
      <FilterSelect
        label={TEXTS.gameFilter}
        isLabelHidden
        any={TEXTS.anyGame}
        choices={GAMES.map((game) => ({ value: game, label: game }))}
        value={search.game}
        onChange={(game) => setSearch({ game: GAMES.find((each) => each === game), team: undefined })}
        w={130}
      />
      <FilterSelect
        label={TEXTS.teamFilter}
        isLabelHidden
        any={TEXTS.anyTeam}
        choices={choices}
        value={search.team}
        onChange={(team) => setSearch({ team })}
        w={190}
      />
    </>
  );
}
