/** Shows an organization's pages to its members, and each page to those whose role opens it. */
import { allows } from "@lineup/api/dashboard/members";
import { Outlet, useMatches } from "@tanstack/react-router";
import { useFoundOrganization } from "../client/session.ts";
import { FaultPage } from "../faults/fault-page.tsx";
import { FAULT_TEXTS, ROLE_NAMES } from "../texts/frame-texts.ts";
import { ButtonLink } from "../ui/links.tsx";

export function MembersOnly() {
  const organization = useFoundOrganization();
  const needed = useMatches({
    select: (matches) => matches.map(({ staticData }) => staticData.capability).find((one) => one !== undefined),
  });
  const toHome = <ButtonLink to="/">{FAULT_TEXTS.toHome}</ButtonLink>;
  if (organization === undefined) {
    return (
      <FaultPage title={FAULT_TEXTS.foreignTitle} action={toHome}>
        {FAULT_TEXTS.foreignBody}
      </FaultPage>
    );
  }
  if (needed !== undefined && !allows(organization.role, needed)) {
    return (
      <FaultPage title={FAULT_TEXTS.forbiddenTitle} action={toHome}>
        {FAULT_TEXTS.forbiddenBody(ROLE_NAMES[organization.role])}
      </FaultPage>
    );
  }
  // Nothing of one organization's page may be left in another's.
  return <Outlet key={organization.id} />;
}
