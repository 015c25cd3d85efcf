import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function SetupPage() {
  return (
    <>
      <PageHeader title="SetupPage" />
      <PageSkeleton />
    </>
  );
}
