/** What stands where the board would: while it loads, when it cannot, and when the filters leave nothing of it. */
import { Button } from "@mantine/core";
import { IconSearchOff, IconUsersGroup } from "@tabler/icons-react";
import type { RequestFailure } from "../client/request-failure.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { ROSTER_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { BlockSkeleton } from "../ui/skeletons.tsx";
import type { RosterSearchChange } from "./roster-search.ts";

const SKELETON_PX = 420;

export interface BoardLoadingProps {
  readonly failure: RequestFailure | null;
  readonly onRetry: () => void;
}

export function BoardLoading({ failure, onRetry }: BoardLoadingProps) {
  return failure === null ? <BlockSkeleton height={SKELETON_PX} /> : <LoadFault failure={failure} onRetry={onRetry} />;
}

export function NothingShown({ setSearch }: { readonly setSearch: (change: RosterSearchChange) => void }) {
  const clear = (
    <Button variant="default" onClick={() => setSearch({ game: undefined, team: undefined })}>
      {TEXTS.clear}
    </Button>
  );
  return (
    <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.nothingTitle} action={clear}>
      {TEXTS.nothingBody}
    </EmptyState>
  );
}

export function NoTeams() {
  const { id: orgId } = useOrganization();
  const mayManage = useAllows("data:manage");
  const toTeams = (
    <ButtonLink to="/orgs/$orgId/data/teams" params={{ orgId }}>
      {TEXTS.toTeams}
    </ButtonLink>
  );
  return (
    <EmptyState icon={<IconUsersGroup size={22} />} title={TEXTS.emptyTitle} action={mayManage ? toTeams : undefined}>
      {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
    </EmptyState>
  );
}
