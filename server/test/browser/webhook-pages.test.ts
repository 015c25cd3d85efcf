import { describeStates } from "./page-sweep.ts";
import { WEBHOOK_STATES } from "./webhook-states.ts";

describeStates("every page of webhooks", WEBHOOK_STATES);
