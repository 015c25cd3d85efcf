import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function SecurityPage() {
  return (
    <>
      <PageHeader title="SecurityPage" />
      <PageSkeleton />
    </>
  );
}
