import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";

export function HomePage() {
  return (
    <>
      <PageHeader title="HomePage" />
      <PageSkeleton />
    </>
  );
}
