/** Keys of the furnished organization: one in every state that a key can be in, and what each was used for. */
import type { Permission } from "@lineup/api/permissions";
import { PERMISSIONS } from "@lineup/api/permissions";
import { createKey, type MadeKey, revokeKey, rotateKey, updateKey } from "../../src/access/key-admin.ts";
import type { Store } from "../../src/store/store.ts";
import { originOfPerson, type People } from "./furnished-people.ts";
import type { Traffic } from "./furnished-traffic.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export const KEYS = {
  active: { name: "Match-day dashboard", permissions: ["players:read", "teams:read", "roster:read", "schedule:read"] },
  unused: { name: "Roster sync", permissions: ["players:read", "players:write", "teams:read", "contracts:read"] },
  soon: { name: "Scouting notebook", permissions: ["prospects:read", "prospects:write", "players:read"] },
  rotating: { name: "Stats export", permissions: ["players:read", "teams:read"] },
  limited: { name: "Discord bot", permissions: ["schedule:read"] },
  fresh: { name: "Broadcast overlay", permissions: ["roster:read", "teams:read"] },
  revoked: { name: "Contractor laptop", permissions: PERMISSIONS },
  expired: { name: "Old website", permissions: ["players:read", "schedule:read"] },
} as const satisfies Record<string, { name: string; permissions: readonly Permission[] }>;

export type KeyName = keyof typeof KEYS;
export type MadeKeys = Readonly<Record<KeyName, MadeKey>>;

/** In days from now: when each was made, and when it ends. */
const LIVES: Readonly<Record<KeyName, readonly [madeAgo: number, ends: number | null]>> = {
  expired: [200, -20],
  revoked: [150, null],
  active: [140, 225],
  unused: [90, 275],
  soon: [81, 9],
  rotating: [60, 305],
  limited: [30, 60],
  fresh: [2, 88],
};

export async function makeKeys(store: Store, orgId: string, people: People, now: number): Promise<MadeKeys> {
  const made: Partial<Record<KeyName, MadeKey>> = {};
  const owner = originOfPerson(people.owner);
  const compliance = originOfPerson(people.compliance, "198.51.100.7");
  for (const [state, [ago, ends]] of Object.entries(LIVES)) {
    const key = state as KeyName;
    const { name, permissions } = KEYS[key];
    const expiresAt = ends === null ? null : now + ends * DAY_MS;
    const by = key === "active" || key === "revoked" ? owner : compliance;
    made[key] = await createKey(store, { orgId, name, permissions, expiresAt }, by, now - ago * DAY_MS);
  }
  const keys = made as MadeKeys;
  await updateKey(
    store,
    keys.unused.id,
    { permissions: ["players:read", "players:write"] },
    compliance,
    now - 40 * DAY_MS,
  );
  await updateKey(store, keys.unused.id, { permissions: KEYS.unused.permissions }, owner, now - 30 * DAY_MS);
  await revokeKey(store, keys.revoked.id, owner, now - 12 * DAY_MS);
  await rotateKey(store, keys.rotating.id, 7 * DAY_MS, compliance, now - 3 * HOUR_MS);
  return keys;
}

export function listTraffic(keys: MadeKeys): readonly Traffic[] {
  return [
    {
      keyId: keys.active.id,
      anHour: 70,
      endpoints: ["listSchedule", "listRoster", "listPlayers", "listTeams", "getPlayer"],
      userAgent: "match-day/4.2 (node)",
      address: "203.0.113.10",
      faultOneIn: 60,
    },
    {
      keyId: keys.unused.id,
      anHour: 24,
      endpoints: ["listPlayers", "updatePlayer", "createPlayer"],
      userAgent: "python-requests/2.32.3",
      address: "198.51.100.40",
      faultOneIn: 9,
    },
    {
      keyId: keys.soon.id,
      anHour: 12,
      endpoints: ["listProspects", "updateProspect", "getProspect", "createProspect"],
      userAgent: "scouting-notebook/1.0",
      address: "2001:db8:4:1::7",
      faultOneIn: 30,
    },
    {
      keyId: keys.rotating.id,
      anHour: 8,
      endpoints: ["listPlayers", "listTeams"],
      userAgent: "curl/8.9.1",
      address: "192.0.2.61",
      faultOneIn: 80,
    },
    {
      keyId: keys.limited.id,
      anHour: 90,
      burst: 420,
      endpoints: ["listSchedule"],
      userAgent: "DiscordBot (https://example.org, 2.0)",
      address: "192.0.2.200",
      faultOneIn: 50,
      fromHoursAgo: 30,
    },
  ];
}
