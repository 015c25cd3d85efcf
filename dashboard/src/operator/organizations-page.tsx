/** Operator › All organizations: who is on this server, how much each is used, and which tier each is on. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Group, Text } from "@mantine/core";
import { IconBuilding, IconLink, IconPlus, IconSearchOff } from "@tabler/icons-react";
import { useState } from "react";
import { live } from "../client/live.ts";
import { usePerson } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { readText } from "../compliance/search-values.ts";
import { useSearchState } from "../compliance/use-search-state.ts";
import { FaultPage } from "../faults/fault-page.tsx";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { CreateOrganizationDialog } from "./create-organization-dialog.tsx";
import { makeOrganizationColumns } from "./organization-columns.tsx";
import { ResetLinkDialog } from "./reset-link-dialog.tsx";
import { SetTierDialog } from "./set-tier-dialog.tsx";

type Listed = ActionResult<"listOrganizations">["organizations"][number];
type Shown = { readonly kind: "create" | "reset" } | { readonly kind: "tier"; readonly organization: Listed } | null;

const LIVE_MS = 30_000;

export function OrganizationsPage() {
  if (usePerson()?.isOperator === true) return <AllOrganizations />;
  return (
    <FaultPage title={TEXTS.forbiddenTitle} action={<ButtonLink to="/">{FAULT_TEXTS.toHome}</ButtonLink>}>
      {TEXTS.forbiddenBody}
    </FaultPage>
  );
}

function readSearch(search: Readonly<Record<string, unknown>>): { readonly q?: string } {
  const q = readText(search.q);
  return q === undefined ? {} : { q };
}

function AllOrganizations() {
  const [shown, setShown] = useState<Shown>(null);
  const organizations = useAction("listOrganizations", {}, live(LIVE_MS));
  const all = organizations.data?.organizations;
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} actions={<PageActions onShow={setShown} />} />
      {all === undefined && organizations.error !== null ? (
        <LoadFault failure={organizations.error} onRetry={organizations.refetch} />
      ) : all?.length === 0 ? (
        <EmptyState icon={<IconBuilding size={22} />} title={TEXTS.emptyTitle}>
          {TEXTS.emptyBody}
        </EmptyState>
      ) : (
        <OrganizationList all={all} onSetTier={(organization) => setShown({ kind: "tier", organization })} />
      )}
      <Dialogs shown={shown} onClose={() => setShown(null)} />
    </>
  );
}

function PageActions({ onShow }: { readonly onShow: (shown: Shown) => void }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconLink size={16} aria-hidden />}
        onClick={() => onShow({ kind: "reset" })}
      >
        {TEXTS.resetLink}
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => onShow({ kind: "create" })}>
        {TEXTS.create}
      </Button>
    </>
  );
}

function Dialogs({ shown, onClose }: { readonly shown: Shown; readonly onClose: () => void }) {
  if (shown === null) return null;
  if (shown.kind === "tier") return <SetTierDialog organization={shown.organization} onClose={onClose} />;
  return shown.kind === "create" ? (
    <CreateOrganizationDialog onClose={onClose} />
  ) : (
    <ResetLinkDialog onClose={onClose} />
  );
}

interface OrganizationListProps {
  readonly all: readonly Listed[] | undefined;
  readonly onSetTier: (organization: Listed) => void;
}

function OrganizationList({ all, onSetTier }: OrganizationListProps) {
  const [{ q = "" }, setSearch] = useSearchState(readSearch);
  const found = all?.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(q.toLowerCase()));
  return (
    <>
      <Group gap="xs" mb="sm">
        <SearchField label={TEXTS.search} value={q} onChange={(text) => setSearch({ q: text })} />
        <Text size="sm" c="dimmed" role="status" ml="auto">
          {found !== undefined && TEXTS.total(found.length)}
        </Text>
      </Group>
      <DataTable
        label={TEXTS.caption}
        columns={makeOrganizationColumns(onSetTier)}
        rows={found}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.nothingTitle}>
            {TEXTS.nothingBody}
          </EmptyState>
        }
      />
    </>
  );
}
