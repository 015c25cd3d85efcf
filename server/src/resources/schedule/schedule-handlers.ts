/** The verb of the schedule. */
import type { Verb } from "../context.ts";
import { selectSchedule } from "./schedule-store.ts";

export const listSchedule: Verb<"listSchedule"> = ({ org, now }, { query }) => selectSchedule(org, query, now);
