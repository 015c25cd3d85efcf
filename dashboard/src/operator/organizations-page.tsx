import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function OrganizationsPage() {
  return (
    <>
      <PageHeader title="OrganizationsPage" />
      <PageSkeleton />
    </>
  );
}
