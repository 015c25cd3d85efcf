import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function CreateKeyPage() {
  return (
    <>
      <PageHeader title="CreateKeyPage" />
      <PageSkeleton />
    </>
  );
}
