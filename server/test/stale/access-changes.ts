/** Random changes of keys, of the organization's name and of its tier, through a store, as the dashboard and the commands make them. */
import { PERMISSIONS, type Permission } from "@lineup/api/permissions";
import { DAY_MS, type Tier } from "@lineup/api/tiers";
import { createKey, revokeKey, rotateKey, updateKey } from "../../src/access/key-admin.ts";
import { renameOrganization, setTier } from "../../src/access/organizations.ts";
import type { Store } from "../../src/store/store.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import type { Access, KeyRing, WalkKey } from "./key-ring.ts";
import type { Random } from "./random.ts";

export interface AccessChange {
  /** A key by which the change can be told, as it was before. */
  readonly before: Access;
  readonly after: Access;
}

const OTHER_KEYS_MAX = 3;
const HOUR_MS = 3_600_000;

/** Done when it returns; the ring then has what is so from now on. */
export async function changeAccess(
  random: Random,
  ring: KeyRing,
  store: Store,
  now: number,
  tiers: Readonly<Partial<Record<Tier, number>>>,
): Promise<AccessChange> {
  const live = ring.others.filter((key) => !key.isRevoked && (key.expiresAt === null || key.expiresAt > now));
  const key = random.find(live);
  const kind = random.weighted({ make: live.length < 2 ? 6 : 1, edit: 4, revoke: 1, rotate: 1, rename: 1, tier: 2 });
  if (kind === "tier" || kind === "rename") {
    const before = ring.accessOf(random.pick([ring.main, ...live]));
    if (kind === "tier") {
      ring.tier = random.weighted(tiers as Record<Tier, number>);
      await setTier(store, ring.orgId, ring.tier, TEST_ORIGIN, now);
    } else {
      ring.orgName = `Ørg ${random.between(1, 1e6)}`;
      await renameOrganization(store, ring.orgId, ring.orgName, TEST_ORIGIN, now);
    }
    return { before, after: ring.accessOf(before.key) };
  }
  if (kind === "make" || key === undefined) return makeOther(random, ring, store, now);
  const before = ring.accessOf(key);
  const changed = await changeKey(random, ring, store, now, key, kind);
  ring.replace(key, changed);
  return { before, after: ring.accessOf(changed) };
}

async function changeKey(
  random: Random,
  ring: KeyRing,
  store: Store,
  now: number,
  key: WalkKey,
  kind: "edit" | "revoke" | "rotate",
): Promise<WalkKey> {
  if (kind === "edit") {
    const permissions = somePermissions(random);
    const name = random.chance(0.3) ? `Key ${random.between(1, 1e6)}` : key.name;
    await updateKey(store, key.id, { permissions, name }, TEST_ORIGIN, now);
    return { ...key, permissions, name };
  }
  if (kind === "revoke") {
    await revokeKey(store, key.id, TEST_ORIGIN, now);
    return { ...key, isRevoked: true };
  }
  // A key is rotated once; after that its successor is.
  if (key.isRotated) return changeKey(random, ring, store, now, key, "revoke");
  const overlapMs = random.pick([0, 1, HOUR_MS, 3 * DAY_MS]);
  const { successor } = await rotateKey(store, key.id, overlapMs, TEST_ORIGIN, now);
  ring.others.push({ ...key, id: successor.id, secret: successor.key, counted: [] });
  return { ...key, isRotated: true, expiresAt: Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs) };
}

async function makeOther(random: Random, ring: KeyRing, store: Store, now: number): Promise<AccessChange> {
  const wanted = {
    orgId: ring.orgId,
    name: `Key ${random.between(1, 1e6)}`,
    permissions: somePermissions(random),
    expiresAt: random.chance(0.5) ? null : now + random.pick([1, HOUR_MS, DAY_MS, 20 * DAY_MS]),
  };
  const made = await createKey(store, wanted, TEST_ORIGIN, now);
  const key: WalkKey = { ...wanted, id: made.id, secret: made.key, isRevoked: false, isRotated: false, counted: [] };
  ring.others = [...ring.others, key].slice(-OTHER_KEYS_MAX);
  return { before: ring.accessOf(ring.main), after: ring.accessOf(key) };
}

function somePermissions(random: Random): Permission[] {
  const some = PERMISSIONS.filter(() => random.chance(0.6));
  return some.length === 0 ? [random.pick(PERMISSIONS)] : some;
}
