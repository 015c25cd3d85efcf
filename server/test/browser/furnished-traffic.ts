/** A week of requests by the furnished organization's keys, as the server would have recorded them. The same every time but for its dates. */
import { createHash } from "node:crypto";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { ERROR_STATUS, type ErrorCode } from "@lineup/api/errors";
import type { CountedAdmissions } from "../../src/limits/redis-admissions.ts";
import { RequestLog } from "../../src/request-log/request-log.ts";
import { firstIdAt } from "../../src/request-log/request-record.ts";
import type { Store } from "../../src/store/store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = 7 * 24;
const BURST_MS = 40 * 60_000;
/** So much fits before it is written. */
const WRITTEN_EVERY = 500;
/** Digits of an id that are not its time. */
const ID_REST = 16;

export interface Traffic {
  readonly keyId: string;
  /** At noon; by night it is a tenth. */
  readonly anHour: number;
  /** The names of the endpoints that it calls, the first most often. */
  readonly endpoints: readonly string[];
  readonly userAgent: string;
  readonly address: string;
  /** Refused or failed one time in so many. */
  readonly faultOneIn: number;
  /** It began so many hours ago. */
  readonly fromHoursAgo?: number;
  /** So many more in the last minutes. */
  readonly burst?: number;
}

export interface TrafficPlace {
  readonly store: Store;
  readonly dataDir: string;
  readonly orgId: string;
  readonly now: number;
}

const FAULTS: Readonly<Record<"reads" | "writes", readonly ErrorCode[]>> = {
  reads: ["INVALID_PARAMETER", "INSUFFICIENT_PERMISSIONS", "INTERNAL_ERROR"],
  writes: ["VALIDATION_ERROR", "INVALID_ROLE", "INTERNAL_ERROR"],
};

interface Moment {
  readonly traffic: Traffic;
  readonly at: number;
}

/** Returns what of it the limits have counted in the last day. */
export async function recordTraffic(
  place: TrafficPlace,
  traffics: readonly Traffic[],
  perDay: number,
): Promise<CountedAdmissions[]> {
  let now = place.now;
  const fail = (what: string, error?: unknown) => {
    throw new Error(`${what}: ${String(error)}`);
  };
  const log = new RequestLog({
    ...place,
    retentionDays: 7,
    now: () => now,
    onFault: fail,
    onRecovery: fail,
    onNotice: fail,
  });
  const random = makeRandom(7);
  const counted = new Map<string, number[]>(traffics.map(({ keyId }) => [keyId, []]));
  for (const [number, { traffic, at }] of listMoments(place.now, traffics, random).entries()) {
    const admissions = counted.get(traffic.keyId) ?? [];
    const isLimited = admissions.length >= perDay && (admissions.at(-perDay) ?? 0) > at - DAY_MS;
    if (!isLimited) admissions.push(at);
    now = at;
    log.recorder.record(makeRecord(place.orgId, traffic, { at, number, isLimited }, random));
    if (number % WRITTEN_EVERY === 0) await log.recorder.flush();
  }
  now = place.now;
  await log.close();
  return [...counted].map(([keyId, admissions]) => ({ keyId, admissions, lastUsedAt: admissions.at(-1) }));
}

/** Oldest first. */
function listMoments(now: number, traffics: readonly Traffic[], random: () => number): Moment[] {
  const moments: Moment[] = [];
  for (let hoursAgo = HOURS; hoursAgo >= 0; hoursAgo--) {
    const hourStart = Math.floor(now / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS;
    // Of the hour under way only what is over.
    const span = Math.min(HOUR_MS, now - hourStart);
    for (const traffic of traffics) {
      if (hoursAgo > (traffic.fromHoursAgo ?? HOURS)) continue;
      const count = Math.round(traffic.anHour * dayShape(hourStart) * (0.7 + random() * 0.6) * (span / HOUR_MS));
      for (let each = 0; each < count; each++) moments.push({ traffic, at: hourStart + Math.floor(random() * span) });
    }
  }
  for (const traffic of traffics) {
    for (let each = 0; each < (traffic.burst ?? 0); each++) {
      moments.push({ traffic, at: now - Math.floor(random() * BURST_MS) });
    }
  }
  return moments.sort((a, b) => a.at - b.at);
}

function makeRecord(
  orgId: string,
  traffic: Traffic,
  { at, number, isLimited }: { readonly at: number; readonly number: number; readonly isLimited: boolean },
  random: () => number,
) {
  const { keyId, endpoints, userAgent, address, faultOneIn } = traffic;
  const name = endpoints[Math.floor(random() ** 2 * endpoints.length)] ?? endpoints[0];
  const endpoint = ENDPOINTS.find((each) => each.name === name);
  if (endpoint === undefined) throw new Error(`There is no endpoint ${name}.`);
  const faults = FAULTS[endpoint.method === "GET" ? "reads" : "writes"];
  const fault = random() < 1 / faultOneIn ? (faults[Math.floor(random() ** 2 * faults.length)] ?? null) : null;
  const code = isLimited ? "RATE_LIMIT_EXCEEDED" : fault;
  const target = endpoint.path.replace("{id}", idOf(endpoint.path)) + queryOf(name ?? "", random);
  return {
    orgId,
    keyId,
    id: firstIdAt(at).slice(0, -ID_REST) + createHash("sha256").update(String(number)).digest("hex").slice(0, ID_REST),
    method: endpoint.method,
    target: `/api/public/v1${target}`,
    endpoint: endpoint.name,
    status: code === null ? (endpoint.method === "POST" ? 201 : 200) : ERROR_STATUS[code],
    code,
    durationUs: Math.round(400 + random() ** 3 * 9_000),
    address,
    userAgent,
  };
}

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listPlayers: ["", "?status=active", "?limit=100&updatedSince=2026-11-01T00:00:00Z"],
  listSchedule: ["", "?game=Valorant", "?kind=match,scrim"],
  listContracts: ["", "?status=active"],
  listProspects: ["?stage=trial", "?priority=high&sort=-rating"],
};

function idOf(path: string): string {
  return `${path.startsWith("/prospects") ? "prospect" : "player"}_01ja3c8q9vf6xr7k2m5n4t8w1z`;
}

function queryOf(name: string, random: () => number): string {
  const queries = QUERIES[name] ?? [""];
  return queries[Math.floor(random() * queries.length)] ?? "";
}

/** From a tenth at night to all at three in the afternoon. */
function dayShape(at: number): number {
  const hour = new Date(at).getUTCHours();
  return 0.1 + 0.9 * Math.max(0, Math.cos(((hour - 15) / 24) * 2 * Math.PI)) ** 1.5;
}

/** Numbers that look random and are the same in every run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
