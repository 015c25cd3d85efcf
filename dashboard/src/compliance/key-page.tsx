import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function KeyPage() {
  return (
    <>
      <PageHeader title="KeyPage" />
      <PageSkeleton />
    </>
  );
}
