/** Compliance › API Keys. A key of another organization is answered as one that nobody has. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { OVERLAPS, USAGE_SPANS } from "@lineup/api/dashboard/keys";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { DAY_MS, HOUR_MS } from "@lineup/api/tiers";
import { type ApiKey, createKey, findKey, listKeys, revokeKey, rotateKey, updateKey } from "../access/key-admin.ts";
import { AccessError } from "../access/organizations.ts";
import type { Verdict } from "../limits/windows.ts";
import { readEndpoints, readHours } from "../request-log/key-usage.ts";
import { type ActionVerbs, type MemberContext, requireOrganizationOf } from "./context.ts";
import { describeKeys, firstHourOf, hasEnded, sumOf, sumSteps } from "./key-facts.ts";

const OVERLAP_MS: Readonly<Record<(typeof OVERLAPS)[number], number>> = {
  now: 0,
  "1h": HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
};

/** Few enough to be told apart in a chart. */
const SPAN_STEPS: Readonly<
  Record<(typeof USAGE_SPANS)[number], { readonly stepHours: number; readonly count: number }>
> = {
  "24h": { stepHours: 1, count: 24 },
  "7d": { stepHours: 6, count: 28 },
  "30d": { stepHours: 24, count: 30 },
  "400d": { stepHours: 240, count: 40 },
};

/** For as long as use is kept. */
const USED_WITHIN_HOURS = 400 * 24;

export const KEY_VERBS = {
  listKeys: async (context) => {
    const keys = (await listKeys(context.tools.store, context.orgId)).reverse();
    return { keys: await describeKeys(context, keys) };
  },

  createKey: async ({ tools, orgId, origin, visit }, { body }) => {
    if (body.expiresAt !== null && body.expiresAt <= visit.now) {
      throw faultOf("expiresAt", "must lie in the future; choose a later one");
    }
    const { id, key } = await createKey(tools.store, { orgId, ...body }, origin, visit.now);
    return { id, key };
  },

  getKey: async (context, { path }) => {
    const { tools, orgId, visit } = context;
    const key = await requireKeyOf(context, path.keyId);
    const { tier } = await requireOrganizationOf(tools.store, orgId);
    const fromHour = firstHourOf(24, visit.now);
    const [[described], verdict, hours, used] = await Promise.all([
      describeKeys(context, [key]),
      tools.limiter.peek(key.id, tier),
      readHours(tools.store, orgId, { fromHour, keyId: key.id }),
      findUsedPermissions(context, key.id),
    ]);
    if (described === undefined) throw new Error("One key was asked for.");
    return {
      ...described,
      windows: describeWindows(verdict),
      requestsLastDay: hours.reduce((sum, hour) => sum + sumOf(hour), 0),
      unusedPermissions: key.permissions.filter((permission) => !used.has(permission)),
    };
  },

  getKeyUsage: async (context, { path, query }) => {
    const { tools, orgId, visit } = context;
    const { id: keyId } = await requireKeyOf(context, path.keyId);
    const { stepHours, count } = SPAN_STEPS[query.span];
    const fromHour = firstHourOf(stepHours * count, visit.now);
    const [hours, endpoints] = await Promise.all([
      readHours(tools.store, orgId, { fromHour, keyId }),
      readEndpoints(tools.store, orgId, keyId, fromHour),
    ]);
    const steps = sumSteps(hours, fromHour, stepHours, count);
    const listed = endpoints.map(({ endpoint, requests, errors, durationUs }) => ({
      route: ROUTES.get(endpoint) ?? endpoint,
      requests,
      errors,
      averageMs: durationUs / Math.max(1, requests) / 1_000,
    }));
    return { steps, stepMs: stepHours * HOUR_MS, endpoints: listed };
  },

  updateKey: async (context, { path, body }) => {
    const { tools, origin, visit } = context;
    const key = await requireKeyOf(context, path.keyId);
    if (body.name === undefined && body.permissions === undefined) {
      throw new ActionError("VALIDATION_ERROR", "Nothing was changed. Give a new name, other permissions, or both.");
    }
    if (hasEnded(key, visit.now)) {
      const what = key.revokedAt === null ? "has expired" : "was revoked";
      throw new ActionError("CONFLICT", `This key ${what}, and nobody can use it any more. Make a new one instead.`);
    }
    await updateKey(tools.store, key.id, body, origin, visit.now);
  },

  rotateKey: async (context, { path, body }) => {
    const { tools, origin, visit } = context;
    const before = await requireKeyOf(context, path.keyId);
    refuseToRotate(before, visit.now);
    try {
      const { successor } = await rotateKey(tools.store, before.id, OVERLAP_MS[body.overlap], origin, visit.now);
      return { id: successor.id, key: successor.key };
    } catch (error) {
      // Somebody else was quicker: what the key has become says why.
      if (error instanceof AccessError) refuseToRotate(await requireKeyOf(context, path.keyId), visit.now);
      throw error;
    }
  },

  revokeKey: async (context, { path, body }) => {
    const { tools, origin, visit } = context;
    const key = await requireKeyOf(context, path.keyId);
    if (body.name !== key.name) throw faultOf("name", "is not the key's name; type it exactly as it is shown");
    await revokeKey(tools.store, key.id, origin, visit.now);
  },
} satisfies Partial<ActionVerbs>;

async function requireKeyOf({ tools, orgId }: MemberContext, keyId: string): Promise<ApiKey> {
  const key = await findKey(tools.store, keyId);
  if (key?.orgId === orgId) return key;
  throw new ActionError("NOT_FOUND", "There is no such key in this organization. Choose one from the list of keys.");
}

function refuseToRotate({ revokedAt, successorId, expiresAt }: ApiKey, now: number): void {
  if (revokedAt !== null) {
    throw new ActionError("CONFLICT", "This key was revoked, so there is nothing to pass on. Make a new key.");
  }
  if (successorId !== null) {
    throw new ActionError("CONFLICT", `This key was rotated already. Rotate its successor, ${successorId}, instead.`);
  }
  if (expiresAt !== null && expiresAt <= now) {
    throw new ActionError("CONFLICT", "This key has expired, and so would its successor. Make a new key.");
  }
}

const ROUTES = new Map<string, string>(ENDPOINTS.map(({ name, method, path }) => [name, `${method} ${path}`]));
const PERMISSION_OF = new Map<string, string>(ENDPOINTS.map(({ name, permission }) => [name, permission]));

async function findUsedPermissions({ tools, orgId, visit }: MemberContext, keyId: string): Promise<Set<string>> {
  const fromHour = Math.floor(visit.now / HOUR_MS) - USED_WITHIN_HOURS;
  const endpoints = await readEndpoints(tools.store, orgId, keyId, fromHour);
  return new Set(endpoints.map(({ endpoint }) => PERMISSION_OF.get(endpoint) ?? ""));
}

function describeWindows(verdict: Verdict) {
  const [minute, day] = verdict.windows.map(({ limit, remaining, resetAtMs }) => ({
    limit,
    remaining,
    resetsAt: remaining === limit ? null : Math.ceil(resetAtMs),
  }));
  if (minute === undefined || day === undefined) throw new Error("A key has two windows.");
  return { minute, day };
}

function faultOf(field: string, message: string): ActionError {
  return new ActionError("VALIDATION_ERROR", `${field} ${message}.`, [{ field, message }]);
}
