import type { ActionResult } from "@lineup/api/dashboard/actions";

export type LinkView = ActionResult<"describeLink">;

/** What the page of each kind of link is given. */
export interface LinkProps {
  readonly token: string;
  readonly link: LinkView;
}
