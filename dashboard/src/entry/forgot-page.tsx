import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function ForgotPage() {
  return (
    <>
      <PageHeader title="ForgotPage" />
      <PageSkeleton />
    </>
  );
}
