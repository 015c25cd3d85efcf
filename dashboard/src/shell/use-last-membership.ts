/** The organization in the address; outside of one (account, operator), the one looked at last. */
import { findLastOrganization } from "../client/last-organization.ts";
import { type Membership, useFoundOrganization, useSession } from "../client/session.ts";

export function useLastMembership(): Membership | undefined {
  const inAddress = useFoundOrganization();
  const organizations = useSession()?.organizations ?? [];
  const last = findLastOrganization();
  return inAddress ?? organizations.find(({ id }) => id === last) ?? organizations[0];
}
