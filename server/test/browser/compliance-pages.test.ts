/** Keys, requests and the audit log. */
import { COMPLIANCE_STATES } from "./compliance-states.ts";
import { describeStates } from "./page-sweep.ts";

describeStates("every page of the compliance area", COMPLIANCE_STATES);
