import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function AppearancePage() {
  return (
    <>
      <PageHeader title="AppearancePage" />
      <PageSkeleton />
    </>
  );
}
