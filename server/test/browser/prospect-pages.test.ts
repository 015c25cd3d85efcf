import { CONTRACT_STATES } from "./contract-states.ts";
import { describeStates } from "./page-sweep.ts";
import { PROSPECT_STATES } from "./prospect-states.ts";

describeStates("every page of prospects and contracts", [...PROSPECT_STATES, ...CONTRACT_STATES]);
