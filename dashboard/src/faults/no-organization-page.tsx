/** For somebody who belongs to no organization. */
import { IconUsersGroup } from "@tabler/icons-react";
import { NO_ORGANIZATION_TEXTS } from "../texts/frame-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { PageHeader } from "../ui/page-header.tsx";

export function NoOrganizationPage() {
  return (
    <>
      <PageHeader title={NO_ORGANIZATION_TEXTS.title} />
      <EmptyState icon={<IconUsersGroup size={22} />} title={NO_ORGANIZATION_TEXTS.emptyTitle}>
        {NO_ORGANIZATION_TEXTS.body}
      </EmptyState>
    </>
  );
}
