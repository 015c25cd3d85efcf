import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function SessionsPage() {
  return (
    <>
      <PageHeader title="SessionsPage" />
      <PageSkeleton />
    </>
  );
}
