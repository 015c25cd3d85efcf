import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function SignInPage() {
  return (
    <>
      <PageHeader title="SignInPage" />
      <PageSkeleton />
    </>
  );
}
