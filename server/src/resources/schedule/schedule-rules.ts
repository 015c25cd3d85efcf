/** The rules of schedule entries: an end that does not lie before the start, and a start that is remembered when it is moved. */
import type { ParsedBody } from "@lineup/api/dashboard/actions";
import { bodyError, type ErrorDetail } from "@lineup/api/errors";
import type { Game } from "@lineup/api/roles";
import { type ScheduleEntry, scheduleResource } from "@lineup/api/schedule";
import { type RecordRules, refuse } from "../record-writes.ts";
import { findReferenceFaults } from "../reference-rules.ts";
import { findTeamGame } from "../teams/team-store.ts";
import { scheduleStore } from "./schedule-store.ts";

export const scheduleRules: RecordRules<typeof scheduleResource> = {
  store: scheduleStore,
  async settle({ org }, plan) {
    const { before, given, after } = plan;
    const fault = findEntryFault(after);
    refuse([...(fault === undefined ? [] : [fault]), ...(await findReferenceFaults(org, scheduleResource, plan))]);
    const game = before === undefined && after.teamId !== null ? await findTeamGame(org, after.teamId) : undefined;
    return completeEntry(before, after, given, game);
  },
};

export function findEntryFault({ startsAt, endsAt }: ScheduleEntry): ErrorDetail | undefined {
  if (endsAt === null || endsAt >= startsAt) return undefined;
  return { field: "endsAt", message: "lies before startsAt; correct one of them" };
}

/** An entry that says nothing of its game has its team's, and one that is moved remembers where it stood. */
export function completeEntry(
  before: ScheduleEntry | undefined,
  after: ScheduleEntry,
  given: Readonly<Record<string, unknown>>,
  teamGame: Game | undefined,
): ScheduleEntry {
  if (before === undefined) return (given.game ?? null) === null ? { ...after, game: teamGame ?? after.game } : after;
  const isMoved = before.startsAt !== after.startsAt && given.previousStartsAt === undefined;
  return isMoved ? { ...after, previousStartsAt: before.startsAt } : after;
}

type Step = "moved" | "postponed" | "cancelled" | "completed";

/** Which entries a step can be taken with; others are edited. */
const STEPS: Readonly<Record<Step, readonly ScheduleEntry["status"][]>> = {
  moved: ["scheduled", "postponed"],
  postponed: ["scheduled", "live"],
  cancelled: ["scheduled", "live", "postponed"],
  completed: ["scheduled", "live"],
};

type StepInput = Partial<Omit<ParsedBody<"moveEvent"> & ParsedBody<"completeEvent">, "updatedAt">>;

/** What changes of an entry by a step. */
export function takeStep(step: Step, given: StepInput): (entry: ScheduleEntry) => Readonly<Record<string, unknown>> {
  return ({ status, startsAt, endsAt }) => {
    if (!STEPS[step].includes(status)) {
      const message = `is ${status}; only what is ${STEPS[step].join(" or ")} can be ${step}. Edit the entry instead`;
      throw bodyError([{ field: "status", message }]);
    }
    if (step !== "moved") return { status: step, ...given };
    const later = (given.startsAt ?? startsAt) - startsAt;
    const end = given.endsAt === undefined && endsAt !== null ? { endsAt: endsAt + later } : {};
    return { status: "scheduled", ...given, ...end };
  };
}
