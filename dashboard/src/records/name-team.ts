/** What a page says of a record's team. Teams may come later than the records that name them: nobody is said to have none meanwhile. */
const NOT_KNOWN_YET = "…";

export function nameTeam(
  teams: ReadonlyMap<string, { readonly name: string }>,
  teamId: string | null,
  none: string,
): string {
  return teamId === null ? none : (teams.get(teamId)?.name ?? NOT_KNOWN_YET);
}
