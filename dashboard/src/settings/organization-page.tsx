import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function OrganizationPage() {
  return (
    <>
      <PageHeader title="OrganizationPage" />
      <PageSkeleton />
    </>
  );
}
