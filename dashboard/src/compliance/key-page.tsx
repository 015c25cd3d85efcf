/** Compliance › API Keys › one key: what it may do, what it does, and what can be done with it. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, SimpleGrid, Stack } from "@mantine/core";
import { IconBan, IconKeyOff, IconPencil, IconRefresh } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { live } from "../client/live.ts";
import type { RequestFailure } from "../client/request-failure.ts";
import { serverNow } from "../client/server-clock.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { KEYS_TEXTS, REVEAL_TEXTS, KEY_TEXTS as TEXTS, KEY_USE_TEXTS as USE_TEXTS } from "../texts/key-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { BackLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";
import { EditKeyDialog } from "./edit-key-dialog.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { KeyLatest } from "./key-latest.tsx";
import { KeyNotices } from "./key-notices.tsx";
import { KeyPermissions } from "./key-permissions.tsx";
import { KeyReveal, type MadeKey } from "./key-reveal.tsx";
import { KeyStateBadge } from "./key-state-badge.tsx";
import { isProven, isWorking } from "./key-states.ts";
import { KeyUsage } from "./key-usage.tsx";
import { KeyUseTabs } from "./key-use-tabs.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";
import { WindowGauge } from "./window-gauge.tsx";

type FullKey = ActionResult<"getKey">;

const LIVE_MS = 3_000;

export function KeyPage() {
  const { keyId = "" } = useParams({ strict: false });
  // Another key's page begins anew: nothing of this one stays.
  return <OneKey key={keyId} keyId={keyId} />;
}

function OneKey({ keyId }: { readonly keyId: string }) {
  const { id: orgId } = useOrganization();
  const [made, setMade] = useState<MadeKey | null>(null);
  const key = useAction("getKey", { path: { orgId, keyId } }, live(LIVE_MS));
  if (made !== null) {
    return (
      <KeyReveal orgId={orgId} made={made} title={REVEAL_TEXTS.rotatedTitle}>
        {key.data !== undefined && <OldKeyEnd apiKey={key.data} />}
      </KeyReveal>
    );
  }
  if (key.data !== undefined) return <KeyDetails orgId={orgId} apiKey={key.data} onRotated={setMade} />;
  if (key.error === null) return <PageSkeleton />;
  return <MissingKey orgId={orgId} failure={key.error} onRetry={key.refetch} />;
}

function OldKeyEnd({ apiKey }: { readonly apiKey: FullKey }) {
  if (!isWorking(apiKey)) return REVEAL_TEXTS.oldEnded;
  return (
    <>
      {REVEAL_TEXTS.oldWorksUntil} <ExactTime at={apiKey.expiresAt} as="day-time" />.
    </>
  );
}

interface MissingKeyProps {
  readonly orgId: string;
  readonly failure: RequestFailure;
  readonly onRetry: () => unknown;
}

function MissingKey({ orgId, failure, onRetry }: MissingKeyProps) {
  const isGone = failure.code === "NOT_FOUND";
  return (
    <>
      <PageHeader title={isGone ? TEXTS.missingTitle : TEXTS.faultTitle} back={<ToKeys orgId={orgId} />} />
      {isGone ? (
        <EmptyState icon={<IconKeyOff size={22} />} title={TEXTS.missingLead}>
          {failure.message}
        </EmptyState>
      ) : (
        <LoadFault failure={failure} onRetry={onRetry} />
      )}
    </>
  );
}

function ToKeys({ orgId }: { readonly orgId: string }) {
  return (
    <BackLink to="/orgs/$orgId/compliance/keys" params={{ orgId }}>
      {KEYS_TEXTS.title}
    </BackLink>
  );
}

interface KeyDetailsProps {
  readonly orgId: string;
  readonly apiKey: FullKey;
  readonly onRotated: (made: MadeKey) => void;
}

type Shown = "edit" | "drop" | "rotate" | "revoke" | null;

function KeyDetails({ orgId, apiKey, onRotated }: KeyDetailsProps) {
  const [shown, setShown] = useState<Shown>(null);
  const keys = useAction("listKeys", { path: { orgId } });
  const mayManage = useAllows("keys:manage");
  const mayEdit = mayManage && isWorking(apiKey);
  return (
    <>
      <PageHeader
        title={apiKey.name}
        back={<ToKeys orgId={orgId} />}
        badge={<KeyStateBadge state={apiKey.state} />}
        actions={mayEdit ? <KeyActions apiKey={apiKey} onShow={setShown} /> : undefined}
      />
      <KeyNotices orgId={orgId} apiKey={apiKey} keys={keys.data?.keys} />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: isWorking(apiKey) ? 2 : 1 }} spacing="md">
          {isWorking(apiKey) && <KeyLimits windows={apiKey.windows} />}
          <KeyFacts apiKey={apiKey} />
        </SimpleGrid>
        <KeyUsage
          orgId={orgId}
          keyId={apiKey.id}
          beside={
            <KeyPermissions
              permissions={apiKey.permissions}
              unused={apiKey.unusedPermissions}
              isNew={!isProven(apiKey, serverNow())}
              onDrop={mayEdit ? () => setShown("drop") : undefined}
            />
          }
        />
        <KeyLatest orgId={orgId} keyId={apiKey.id} wasUsed={apiKey.lastUsedAt !== null} />
        {isWorking(apiKey) && (
          <SectionCard title={USE_TEXTS.title} lead={USE_TEXTS.lead}>
            <KeyUseTabs permissions={apiKey.permissions} />
          </SectionCard>
        )}
      </Stack>
      <KeyDialogs orgId={orgId} apiKey={apiKey} shown={shown} onClose={() => setShown(null)} onRotated={onRotated} />
    </>
  );
}

function KeyActions({ apiKey, onShow }: { readonly apiKey: FullKey; readonly onShow: (shown: Shown) => void }) {
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onShow("edit")}>
        {TEXTS.edit}
      </Button>
      {apiKey.successorId === null && (
        <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => onShow("rotate")}>
          {TEXTS.rotate}
        </Button>
      )}
      <Button
        variant="light"
        color="red"
        leftSection={<IconBan size={16} aria-hidden />}
        onClick={() => onShow("revoke")}
      >
        {TEXTS.revoke}
      </Button>
    </>
  );
}

function KeyLimits({ windows }: { readonly windows: FullKey["windows"] }) {
  return (
    <SectionCard title={TEXTS.limits}>
      <Stack gap="sm">
        <WindowGauge name={TEXTS.minute} {...windows.minute} />
        <WindowGauge name={TEXTS.day} {...windows.day} />
      </Stack>
    </SectionCard>
  );
}

interface KeyDialogsProps extends KeyDetailsProps {
  readonly shown: Shown;
  readonly onClose: () => void;
}

function KeyDialogs({ orgId, apiKey, shown, onClose, onRotated }: KeyDialogsProps) {
  if (shown === "edit")
    return <EditKeyDialog orgId={orgId} apiKey={apiKey} permissions={apiKey.permissions} onClose={onClose} />;
  if (shown === "drop") {
    const kept = apiKey.permissions.filter((permission) => !apiKey.unusedPermissions.includes(permission));
    return <EditKeyDialog orgId={orgId} apiKey={apiKey} permissions={kept} onClose={onClose} />;
  }
  if (shown === "rotate") {
    const show = (made: { readonly id: string; readonly key: string }) =>
      onRotated({ ...made, permissions: apiKey.permissions });
    return <RotateKeyDialog orgId={orgId} keyId={apiKey.id} onClose={onClose} onMade={show} />;
  }
  return shown === "revoke" ? <RevokeKeyDialog orgId={orgId} apiKey={apiKey} onClose={onClose} /> : null;
}
