/** The verb of every action. A name without a verb, or a verb without a name, does not compile. */
import { ACCOUNT_VERBS } from "./account-verbs.ts";
import { CALENDAR_VERBS } from "./calendar-verbs.ts";
import type { ActionVerbs } from "./context.ts";
import { DATA_VERBS } from "./data-verbs.ts";
import { FOLLOWING_VERBS } from "./following-verbs.ts";
import { HOME_VERBS } from "./home-verbs.ts";
import { KEY_VERBS } from "./key-verbs.ts";
import { LOG_VERBS } from "./log-verbs.ts";
import { ORGANIZATION_VERBS } from "./organization-verbs.ts";
import { TRANSFER_VERBS } from "./transfer-verbs.ts";
import { WEBHOOK_VERBS } from "./webhook-verbs.ts";

export const ACTION_VERBS: ActionVerbs = {
  ...ACCOUNT_VERBS,
  ...HOME_VERBS,
  ...ORGANIZATION_VERBS,
  ...KEY_VERBS,
  ...LOG_VERBS,
  ...WEBHOOK_VERBS,
  ...CALENDAR_VERBS,
  ...DATA_VERBS,
  ...TRANSFER_VERBS,
  ...FOLLOWING_VERBS,
};
