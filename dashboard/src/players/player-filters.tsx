import { ALL_ROLES, GAMES, type Game, ROLES_BY_GAME } from "@lineup/api/roles";
import type { Team } from "@lineup/api/teams";
import { PLAYERS_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { CONTRACT_CHOICES, STATUS_CHOICES } from "./player-looks.ts";
import { NO_TEAM, type PlayersSearch } from "./players-search.ts";

export interface PlayerFiltersProps {
  readonly search: PlayersSearch;
  readonly setSearch: (change: { [K in keyof PlayersSearch]?: PlayersSearch[K] | undefined }) => void;
  readonly teams: readonly Team[];
}

const WIDTH = { base: "calc(50% - 5px)", xs: 138 };
/** Teams of one organization often begin with the same word. */
const TEAM_WIDTH = { ...WIDTH, xs: 190 };
const plain = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

export function PlayerFilters({ search, setSearch, teams }: PlayerFiltersProps) {
  const named = teams
    .filter(({ game }) => search.game === undefined || game === search.game)
    .map(({ id, name }) => ({ value: id, label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const roles = search.game === undefined ? ALL_ROLES : ROLES_BY_GAME[search.game];
  return (
    <>
      <SearchField label={TEXTS.search} hint={TEXTS.searchHint} value={search.q} onChange={(q) => setSearch({ q })} />
      <FilterSelect
        label={TEXTS.team}
        isLabelHidden
        any={TEXTS.anyTeam}
        choices={[{ value: NO_TEAM, label: TEXTS.noTeam }, ...named]}
        value={search.team}
        onChange={(team) => setSearch({ team })}
        w={TEAM_WIDTH}
      />
      <FilterSelect
        label={TEXTS.game}
        isLabelHidden
        any={TEXTS.anyGame}
        choices={plain(GAMES)}
        value={search.game}
        // A team or role of another game would leave nothing.
        onChange={(game) => setSearch({ game: game as Game | undefined, team: undefined, role: undefined })}
        w={WIDTH}
      />
      <FilterSelect
        label={TEXTS.role}
        isLabelHidden
        any={TEXTS.anyRole}
        choices={plain(roles)}
        value={search.role}
        onChange={(role) => setSearch({ role })}
        w={WIDTH}
      />
      <FilterSelect
        label={TEXTS.status}
        isLabelHidden
        any={TEXTS.anyStatus}
        choices={STATUS_CHOICES}
        value={search.status}
        onChange={(status) => setSearch({ status: STATUS_CHOICES.find(({ value }) => value === status)?.value })}
        w={WIDTH}
      />
      <FilterSelect
        label={TEXTS.contract}
        isLabelHidden
        any={TEXTS.anyContract}
        choices={CONTRACT_CHOICES}
        value={search.contract}
        onChange={(contract) =>
          setSearch({ contract: CONTRACT_CHOICES.find(({ value }) => value === contract)?.value })
        }
        w={WIDTH}
      />
    </>
  );
}
