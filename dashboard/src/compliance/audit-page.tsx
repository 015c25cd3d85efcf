import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function AuditPage() {
  return (
    <>
      <PageHeader title="AuditPage" />
      <PageSkeleton />
    </>
  );
}
