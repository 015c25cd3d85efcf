/** Pages, records, keys, webhooks, actions and organizations, as far as the person's role opens them. */
import { allows } from "@lineup/api/dashboard/members";
import { useMantineColorScheme } from "@mantine/core";
import {
  IconBuilding,
  IconBuildings,
  IconDeviceDesktop,
  IconDevices,
  IconKey,
  IconListSearch,
  IconLogout,
  IconMoon,
  IconPalette,
  IconPlus,
  IconShieldLock,
  IconSun,
  IconUser,
  IconUserPlus,
  IconWebhook,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useSignOut } from "../client/entering.ts";
import { type Membership, usePerson, useSession } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { nameWebhook } from "../compliance/webhook-names.ts";
import { NAVIGATION_TEXTS, ROLE_NAMES } from "../texts/frame-texts.ts";
import { KEY_STATE_TEXTS } from "../texts/key-texts.ts";
import { PALETTE_TEXTS } from "../texts/shortcut-texts.ts";
import { WEBHOOK_STATE_TEXTS } from "../texts/webhook-texts.ts";
import { listOpenPages } from "./navigation.tsx";
import type { PaletteEntry } from "./palette-entries.ts";
import { useLastMembership } from "./use-last-membership.ts";
import { useRecordEntries } from "./use-record-entries.ts";

type Go = ReturnType<typeof useNavigate>;

export function usePaletteEntries(query: string): PaletteEntry[] {
  const go = useNavigate();
  const membership = useLastMembership();
  const keys = useKeyEntries(membership, go);
  const webhooks = useWebhookEntries(membership, go);
  const records = useRecordEntries(membership, query, go);
  const looks = useLookEntries();
  const isOperator = usePerson()?.isOperator === true;
  const organizations = useSession()?.organizations ?? [];
  return [
    ...(membership === undefined ? [] : listRequestEntries(membership, query, go)),
    ...(membership === undefined ? [] : listPageEntries(membership, go)),
    ...listAccountEntries(isOperator, go),
    ...(membership === undefined ? [] : listActionEntries(membership, go)),
    ...records,
    ...keys,
    ...webhooks,
    ...organizations.filter(({ id }) => id !== membership?.id).map((other) => makeOrganizationEntry(other, go)),
    ...looks,
  ];
}

function listPageEntries({ id: orgId, role }: Membership, go: Go): PaletteEntry[] {
  return listOpenPages(role).flatMap((group) =>
    group.pages.map(({ to, name, icon }) => ({
      id: to,
      group: PALETTE_TEXTS.pages,
      name,
      icon,
      ...(group.name === null ? {} : { note: group.name }),
      run: () => void go({ to, params: { orgId } }),
    })),
  );
}

const ACCOUNT_PAGES = [
  { to: "/account/profile", name: NAVIGATION_TEXTS.profile, icon: IconUser },
  { to: "/account/security", name: NAVIGATION_TEXTS.security, icon: IconShieldLock },
  { to: "/account/sessions", name: NAVIGATION_TEXTS.sessions, icon: IconDevices },
  { to: "/account/appearance", name: NAVIGATION_TEXTS.appearance, icon: IconPalette },
] as const;

function listAccountEntries(isOperator: boolean, go: Go): PaletteEntry[] {
  const account = ACCOUNT_PAGES.map(({ to, name, icon }) => ({
    id: to,
    group: PALETTE_TEXTS.pages,
    name,
    icon,
    note: NAVIGATION_TEXTS.account,
    run: () => void go({ to }),
  }));
  if (!isOperator) return account;
  const operator = {
    id: "/operator/organizations",
    group: PALETTE_TEXTS.pages,
    name: NAVIGATION_TEXTS.allOrganizations,
    icon: IconBuildings,
    note: NAVIGATION_TEXTS.operator,
    run: () => void go({ to: "/operator/organizations" }),
  };
  return [...account, operator];
}

function listActionEntries({ id: orgId, role }: Membership, go: Go): PaletteEntry[] {
  const entries: PaletteEntry[] = [];
  if (allows(role, "keys:manage")) {
    entries.push({
      id: "create-key",
      group: PALETTE_TEXTS.actions,
      name: PALETTE_TEXTS.createKey,
      note: PALETTE_TEXTS.createKeyNote,
      icon: IconPlus,
      run: () => void go({ to: "/orgs/$orgId/compliance/keys/new", params: { orgId } }),
    });
    entries.push({
      id: "create-webhook",
      group: PALETTE_TEXTS.actions,
      name: PALETTE_TEXTS.createWebhook,
      note: PALETTE_TEXTS.createWebhookNote,
      icon: IconPlus,
      run: () => void go({ to: "/orgs/$orgId/compliance/webhooks/new", params: { orgId } }),
    });
  }
  if (allows(role, "members:manage")) {
    entries.push({
      id: "invite",
      group: PALETTE_TEXTS.actions,
      name: PALETTE_TEXTS.invite,
      note: PALETTE_TEXTS.inviteNote,
      icon: IconUserPlus,
      run: () => void go({ to: "/orgs/$orgId/settings/members", params: { orgId } }),
    });
  }
  return entries;
}

const REQUEST_ID = /^req_\w+$/;

/** A request id that was pasted here leads to its request. */
function listRequestEntries({ id: orgId, role }: Membership, query: string, go: Go): PaletteEntry[] {
  const id = query.trim();
  if (!REQUEST_ID.test(id) || !allows(role, "requests:view")) return [];
  return [
    {
      id: "find-request",
      group: PALETTE_TEXTS.actions,
      name: PALETTE_TEXTS.findRequest,
      note: id,
      icon: IconListSearch,
      run: () => void go({ to: "/orgs/$orgId/compliance/requests", params: { orgId }, search: { id } }),
    },
  ];
}

function makeOrganizationEntry({ id, name, role }: Membership, go: Go): PaletteEntry {
  return {
    id,
    group: PALETTE_TEXTS.organizations,
    name,
    note: ROLE_NAMES[role],
    icon: IconBuilding,
    run: () => void go({ to: "/orgs/$orgId", params: { orgId: id } }),
  };
}

function useKeyEntries(membership: Membership | undefined, go: Go): PaletteEntry[] {
  const orgId = membership?.id ?? "";
  const mayView = membership !== undefined && allows(membership.role, "keys:view");
  const { data } = useAction("listKeys", { path: { orgId } }, { enabled: mayView });
  return (data?.keys ?? []).map((key) => ({
    id: key.id,
    group: PALETTE_TEXTS.keys,
    name: key.name,
    note: KEY_STATE_TEXTS[key.state].word,
    words: `${key.shownPrefix} ${key.id}`,
    icon: IconKey,
    run: () => void go({ to: "/orgs/$orgId/compliance/keys/$keyId", params: { orgId, keyId: key.id } }),
  }));
}

function useWebhookEntries(membership: Membership | undefined, go: Go): PaletteEntry[] {
  const orgId = membership?.id ?? "";
  const mayView = membership !== undefined && allows(membership.role, "keys:view");
  const { data } = useAction("listWebhooks", { path: { orgId } }, { enabled: mayView });
  return (data?.webhooks ?? []).map((webhook) => ({
    id: webhook.id,
    group: PALETTE_TEXTS.webhooks,
    name: nameWebhook(webhook),
    note: WEBHOOK_STATE_TEXTS[webhook.state].word,
    words: `${webhook.url} ${webhook.id}`,
    icon: IconWebhook,
    run: () => void go({ to: "/orgs/$orgId/compliance/webhooks/$webhookId", params: { orgId, webhookId: webhook.id } }),
  }));
}

function useLookEntries(): PaletteEntry[] {
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const group = PALETTE_TEXTS.actions;
  return [
    { id: "light", group, name: PALETTE_TEXTS.light, icon: IconSun, run: () => setColorScheme("light") },
    { id: "dark", group, name: PALETTE_TEXTS.dark, icon: IconMoon, run: () => setColorScheme("dark") },
    { id: "system", group, name: PALETTE_TEXTS.system, icon: IconDeviceDesktop, run: () => setColorScheme("auto") },
    { id: "sign-out", group, name: PALETTE_TEXTS.signOut, icon: IconLogout, run: () => signOut.mutate({}) },
  ];
}
