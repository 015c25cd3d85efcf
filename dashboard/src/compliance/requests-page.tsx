import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function RequestsPage() {
  return (
    <>
      <PageHeader title="RequestsPage" />
      <PageSkeleton />
    </>
  );
}
