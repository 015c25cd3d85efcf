import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function LinkPage() {
  return (
    <>
      <PageHeader title="LinkPage" />
      <PageSkeleton />
    </>
  );
}
