import { describeStates } from "./page-sweep.ts";
import { TRANSFER_STATES } from "./transfer-states.ts";

describeStates("every state of import and export", TRANSFER_STATES);
