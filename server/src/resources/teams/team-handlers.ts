/** The verb of teams. */
import type { Verb } from "../context.ts";
import { selectTeams } from "./team-store.ts";

export const listTeams: Verb<"listTeams"> = ({ org }, { query }) => selectTeams(org, query);
