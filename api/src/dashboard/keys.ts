/** Compliance › API Keys. */
import * as z from "zod";
import { PERMISSIONS } from "../permissions.ts";
import { personName } from "./account.ts";
import { defineAction, done, moment } from "./action.ts";

/** In the order in which they are said: what comes first hides what comes later. */
export const KEY_STATES = [
  "revoked",
  "expired",
  "rotating",
  "rate limited",
  "expires soon",
  "never used",
  "active",
] as const;
export const keyStateSchema = z.enum(KEY_STATES);
export type KeyState = z.output<typeof keyStateSchema>;

const permissions = z
  .array(z.enum(PERMISSIONS))
  .min(1, { error: "must hold at least one permission" })
  .max(PERMISSIONS.length);

export const keySchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** The first characters, to tell keys apart by. */
  shownPrefix: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  state: keyStateSchema,
  createdBy: z.string(),
  createdAt: moment,
  expiresAt: moment.nullable(),
  revokedAt: moment.nullable(),
  /** The key that takes this one's place. */
  successorId: z.string().nullable(),
  lastUsedAt: moment.nullable(),
  /** Requests in each of the last 36 hours, oldest first, the hour under way last. */
  recentHours: z.array(z.int()),
});
export type KeyView = z.output<typeof keySchema>;

const windowSchema = z.strictObject({
  limit: z.int(),
  remaining: z.int(),
  /** When the oldest counted request leaves the window; null while none is counted. */
  resetsAt: moment.nullable(),
});

/** Shown this once. */
const madeKey = z.strictObject({ id: z.string(), key: z.string() });

export const OVERLAPS = ["now", "1h", "24h", "7d", "30d"] as const;

export const USAGE_SPANS = ["24h", "7d", "30d", "400d"] as const;

export const KEY_ACTIONS = [
  defineAction({
    name: "listKeys",
    method: "GET",
    path: "/orgs/{orgId}/keys",
    access: "keys:view",
    summary: "All keys of the organization, newest first",
    result: z.strictObject({ keys: z.array(keySchema) }),
  }),
  defineAction({
    name: "createKey",
    method: "POST",
    path: "/orgs/{orgId}/keys",
    access: "keys:manage",
    summary: "Make a key; it is shown this once",
    body: z.strictObject({ name: personName, permissions, expiresAt: moment.nullable() }),
    result: madeKey,
  }),
  defineAction({
    name: "getKey",
    method: "GET",
    path: "/orgs/{orgId}/keys/{keyId}",
    access: "keys:view",
    summary: "One key, with both of its windows",
    result: keySchema.extend({
      windows: z.strictObject({ minute: windowSchema, day: windowSchema }),
      requestsLastDay: z.int(),
      /** Permissions it holds that no request of the last 400 days has needed. */
      unusedPermissions: z.array(z.enum(PERMISSIONS)),
    }),
  }),
  defineAction({
    name: "getKeyUsage",
    method: "GET",
    path: "/orgs/{orgId}/keys/{keyId}/usage",
    access: "keys:view",
    summary: "A key's requests over time by status, and its endpoints by number of requests",
    query: z.strictObject({ span: z.enum(USAGE_SPANS).default("24h") }),
    result: z.strictObject({
      /** Oldest first; each lasts `stepMs`. */
      steps: z.array(z.strictObject({ at: moment, answered: z.int(), refused: z.int(), failed: z.int() })),
      stepMs: z.int(),
      endpoints: z.array(
        z.strictObject({ route: z.string(), requests: z.int(), errors: z.int(), averageMs: z.number() }),
      ),
    }),
  }),
  defineAction({
    name: "updateKey",
    method: "PATCH",
    path: "/orgs/{orgId}/keys/{keyId}",
    access: "keys:manage",
    summary: "Change a key's name or permissions",
    body: z.strictObject({ name: personName.optional(), permissions: permissions.optional() }),
    result: done,
  }),
  defineAction({
    name: "rotateKey",
    method: "POST",
    path: "/orgs/{orgId}/keys/{keyId}/rotate",
    access: "keys:manage",
    summary: "Make a successor, shown this once; the old key works on for the overlap",
    body: z.strictObject({ overlap: z.enum(OVERLAPS) }),
    result: madeKey,
  }),
  defineAction({
    name: "revokeKey",
    method: "POST",
    path: "/orgs/{orgId}/keys/{keyId}/revoke",
    access: "keys:manage",
    summary: "Revoke a key for good; its name, typed, says that it is meant",
    body: z.strictObject({ name: z.string().max(200) }),
    result: done,
  }),
] as const;
