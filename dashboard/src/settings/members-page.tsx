import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function MembersPage() {
  return (
    <>
      <PageHeader title="MembersPage" />
      <PageSkeleton />
    </>
  );
}
