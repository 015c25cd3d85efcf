/** The verb of the roster. */
import type { Verb } from "../context.ts";
import { selectRoster } from "./roster-store.ts";

export const listRoster: Verb<"listRoster"> = ({ org }, { query }) => selectRoster(org, query);
