import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function ProfilePage() {
  return (
    <>
      <PageHeader title="ProfilePage" />
      <PageSkeleton />
    </>
  );
}
