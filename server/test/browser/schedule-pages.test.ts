import { describeStates } from "./page-sweep.ts";
import { SCHEDULE_STATES } from "./schedule-states.ts";

describeStates("every state of the schedule", SCHEDULE_STATES);
