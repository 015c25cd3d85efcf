/** Compliance › API Keys. A key of another organization is answered as one that nobody has. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { OVERLAPS, USAGE_SPANS } from "@lineup/api/dashboard/keys";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { DAY_MS } from "@lineup/api/tiers";
import {
  type ApiKey,
  createKey as createKeyIn,
  findKey,
  listKeys as listKeysIn,
  revokeKey as revokeKeyIn,
  rotateKey as rotateKeyIn,
  updateKey as updateKeyIn,
} from "../access/key-admin.ts";
import { AccessError } from "../access/organizations.ts";
import type { Verdict } from "../limits/windows.ts";
import { readEndpoints, readHours } from "../request-log/key-usage.ts";
import { type ActionVerb, type MemberContext, requireOrganizationOf } from "./context.ts";
import { describeKeys, HOUR_MS, hasEnded, sumLastDay } from "./key-facts.ts";

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

export const listKeys: ActionVerb<"listKeys"> = async ({ tools, orgId, visit }) => {
  const { tier } = await requireOrganizationOf(tools.store, orgId);
  const keys = (await listKeysIn(tools.store, orgId)).reverse();
  return { keys: await describeKeys(tools, orgId, tier, keys, visit.now) };
};

export const createKey: ActionVerb<"createKey"> = async ({ tools, orgId, origin, visit }, { body }) => {
  if (body.expiresAt !== null && body.expiresAt <= visit.now) {
    throw faultOf("expiresAt", "must lie in the future; choose a later one");
  }
  const { id, key } = await createKeyIn(tools.store, { orgId, ...body }, origin, visit.now);
  return { id, key };
};

export const getKey: ActionVerb<"getKey"> = async (context, { path }) => {
  const { tools, orgId, visit } = context;
  const key = await requireKeyOf(context, path.keyId);
  const { tier } = await requireOrganizationOf(tools.store, orgId);
  const fromHour = Math.floor(visit.now / HOUR_MS) - 23;
  const [[described], verdict, hours, used] = await Promise.all([
    describeKeys(tools, orgId, tier, [key], visit.now),
    tools.limiter.peek(key.id, tier),
    readHours(tools.store, orgId, { fromHour, keyId: key.id }),
    findUsedPermissions(context, key.id),
  ]);
  if (described === undefined) throw new Error("One key was asked for.");
  return {
    ...described,
    windows: describeWindows(verdict),
    requestsLastDay: sumLastDay(hours, visit.now),
    unusedPermissions: key.permissions.filter((permission) => !used.has(permission)),
  };
};

export const getKeyUsage: ActionVerb<"getKeyUsage"> = async (context, { path, query }) => {
  const { tools, orgId, visit } = context;
  const { id: keyId } = await requireKeyOf(context, path.keyId);
  const { stepHours, count } = SPAN_STEPS[query.span];
  const fromHour = Math.floor(visit.now / HOUR_MS) + 1 - stepHours * count;
  const [hours, endpoints] = await Promise.all([
    readHours(tools.store, orgId, { fromHour, keyId }),
    readEndpoints(tools.store, orgId, keyId, fromHour),
  ]);
  const steps = Array.from({ length: count }, (_, index) => {
    return { at: (fromHour + index * stepHours) * HOUR_MS, answered: 0, refused: 0, failed: 0 };
  });
  for (const { hour, answered, refused, failed } of hours) {
    const step = steps[Math.floor((hour - fromHour) / stepHours)];
    if (step === undefined) continue;
    step.answered += answered;
    step.refused += refused;
    step.failed += failed;
  }
  const listed = endpoints.map(({ endpoint, requests, errors, durationUs }) => ({
    route: ROUTES.get(endpoint) ?? endpoint,
    requests,
    errors,
    averageMs: durationUs / Math.max(1, requests) / 1_000,
  }));
  return { steps, stepMs: stepHours * HOUR_MS, endpoints: listed };
};

export const updateKey: ActionVerb<"updateKey"> = async (context, { path, body }) => {
  const { tools, origin, visit } = context;
  const key = await requireKeyOf(context, path.keyId);
  if (body.name === undefined && body.permissions === undefined) {
    throw new ActionError("VALIDATION_ERROR", "Nothing was changed. Give a new name, other permissions, or both.");
  }
  if (hasEnded(key, visit.now)) {
    const what = key.revokedAt === null ? "has expired" : "was revoked";
    throw new ActionError("CONFLICT", `This key ${what}, and nobody can use it any more. Make a new one instead.`);
  }
  await updateKeyIn(tools.store, key.id, body, origin, visit.now);
  return {};
};

export const rotateKey: ActionVerb<"rotateKey"> = async (context, { path, body }) => {
  const { tools, origin, visit } = context;
  const before = await requireKeyOf(context, path.keyId);
  refuseToRotate(before, visit.now);
  try {
    const { successor } = await rotateKeyIn(tools.store, before.id, OVERLAP_MS[body.overlap], origin, visit.now);
    return { id: successor.id, key: successor.key };
  } catch (error) {
    // Somebody else was quicker: what the key has become says why.
    if (error instanceof AccessError) refuseToRotate(await requireKeyOf(context, path.keyId), visit.now);
    throw error;
  }
};

export const revokeKey: ActionVerb<"revokeKey"> = async (context, { path, body }) => {
  const { tools, origin, visit } = context;
  const key = await requireKeyOf(context, path.keyId);
  if (body.name !== key.name) throw faultOf("name", "is not the key's name; type it exactly as it is shown");
  await revokeKeyIn(tools.store, key.id, origin, visit.now);
  return {};
};

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
