import { describeStates } from "./page-sweep.ts";
import { ROSTER_STATES } from "./roster-states.ts";

describeStates("the roster and the teams", ROSTER_STATES);
