/** The verb of teams. */
import type { Verb } from "../context.ts";
import { teamStore } from "./team-store.ts";

export const listTeams: Verb<"listTeams"> = ({ org }, { query }) => teamStore.list(org, query);
