/** `lineup key …`: the keys of an organization. The key itself is printed at its making and never again. */
import { join } from "node:path";
import type { InspectColor } from "node:util";
import { TIMESTAMP_MAX } from "@lineup/api/fields";
import { findMeantDay, parseInstant } from "@lineup/api/instants";
import { PERMISSION_GRANTS, PERMISSIONS } from "@lineup/api/permissions";
import type { Command } from "commander";
import {
  type ApiKey,
  createKey,
  type KeyState,
  listKeys,
  type MadeKey,
  requireKey,
  requirePermissions,
  revokeKey,
  rotateKey,
  stateOf,
} from "../access/key-admin.ts";
import { type Organization, requireName, requireOrganization } from "../access/organizations.ts";
import type { Config } from "../config.ts";
import { readNames } from "../identity/users.ts";
import { readLastUsed } from "../limits/journal-transfer.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import { LIMITS_FILE } from "../store/data-folder.ts";
import type { Store } from "../store/store.ts";
import { reasonOf } from "../store/store-error.ts";
import { addCommand, addToList, ORG_MEANING, withStore } from "./command.ts";
import {
  formatTime,
  type JsonOption,
  note,
  paint,
  print,
  printJson,
  printPairs,
  printTable,
  UsageError,
  understand,
  warn,
} from "./output.ts";
import { baseUrlOf, curlLine } from "./server-address.ts";

interface CreateOptions extends JsonOption {
  readonly org: string;
  readonly name: string;
  readonly permission: readonly string[];
  readonly expires?: string;
}

const STATE_COLOURS: Readonly<Record<KeyState, InspectColor>> = {
  active: "green",
  "expires soon": "yellow",
  rotating: "yellow",
  expired: "red",
  revoked: "red",
};

const KEY_MEANING = "the key's id, key_…";

export function addTo(program: Command): void {
  const key = addCommand(program, "key", "Make, list, revoke and rotate API keys", [
    "npx lineup key list --org ORG",
    "npx lineup key create --help",
  ]);
  const permissions = PERMISSIONS.map((one) => `  ${one.padEnd(16)} ${PERMISSION_GRANTS[one]}`).join("\n");
  addCommand(key, "create", "Make a key; it is shown this once", [
    'npx lineup key create --org "Northwind Esports" --name "Stats site" --permission players:read --permission teams:read',
    "npx lineup key create --org org_… --name Sync --permission prospects:read,prospects:write --expires 90d --json",
  ])
    .requiredOption("--org <ORG>", ORG_MEANING)
    .requiredOption("--name <NAME>", "what the key is for, 1 to 200 characters")
    .requiredOption(
      "--permission <PERMISSION...>",
      "what the key may do; repeat it, or separate several with commas",
      addToList,
    )
    .option("--expires <WHEN>", "a span such as 90d or 12h, a date or a date-time (default: never)")
    .option("--json", "print the key as JSON")
    .addHelpText("after", `\nPermissions:\n${permissions}`)
    .action(create);
  addCommand(key, "list", "List an organization's keys with their state and last use", [
    'npx lineup key list --org "Northwind Esports"',
    "npx lineup key list --org org_… --json",
  ])
    .requiredOption("--org <ORG>", ORG_MEANING)
    .option("--json", "print a JSON array")
    .action(list);
  addCommand(key, "show", "Show one key; the secret itself cannot be shown again", ["npx lineup key show key_…"])
    .argument("<KEY_ID>", KEY_MEANING)
    .option("--json", "print the key as JSON")
    .action(show);
  addCommand(key, "revoke", "Revoke a key at once and for good", ["npx lineup key revoke key_…"])
    .argument("<KEY_ID>", KEY_MEANING)
    .option("--json", "print the key as JSON")
    .action(revoke);
  const rotation = "Make a successor with the same name, permissions and expiry; the old key lives on for the overlap";
  addCommand(key, "rotate", rotation, [
    "npx lineup key rotate key_…",
    "npx lineup key rotate key_… --overlap 7d --json",
  ])
    .argument("<KEY_ID>", KEY_MEANING)
    .option("--overlap <SPAN>", "how long the old key lives on: 0, or a span such as 24h (units s, m, h, d)", "24h")
    .option("--json", "print the new key as JSON")
    .action(rotate);
}

async function create(options: CreateOptions): Promise<void> {
  const now = Date.now();
  const wanted = understand(() => ({
    name: requireName("The key's name", options.name),
    permissions: requirePermissions(options.permission),
    expiresAt: options.expires === undefined ? null : requireExpiry(options.expires, now),
  }));
  await withStore(async (store, config) => {
    const organization = await requireOrganization(store, options.org);
    const made = await createKey(store, { orgId: organization.id, ...wanted }, commandOrigin("key create"), now);
    if (options.json) return printJson({ ...describeMade(made), organization: namesOf(organization) });
    printMade(`Key "${made.name}" of ${organization.name}`, made, config);
  });
}

async function list(options: JsonOption & { readonly org: string }): Promise<void> {
  await withStore(async (store, config) => {
    const organization = await requireOrganization(store, options.org);
    const found = await listKeys(store, organization.id);
    const lastUsed = await readLastUses(config, found);
    const now = Date.now();
    const makers = await namesOfMakers(store, found);
    const keys = found.map((key) => describe(key, lastUsed, now));
    if (options.json) return printJson(keys.map((key) => ({ ...key, organization: namesOf(organization) })));
    if (keys.length === 0) return note(`${organization.name} has no keys. Make one with "lineup key create".`);
    printTable(keys, [
      { title: "id", value: (row) => row.id },
      { title: "name", value: (row) => row.name },
      { title: "key", value: (row) => `${row.shownPrefix}…` },
      { title: "permissions", value: (row) => row.permissions.join(", ") },
      { title: "state", value: (row) => row.state, colour: (row) => STATE_COLOURS[row.state] },
      { title: "last used", value: (row) => formatOr(row.lastUsedAt, lastUsed === undefined ? "unknown" : "never") },
      { title: "expires", value: (row) => formatOr(row.expiresAt, "never") },
      { title: "created by", value: (row) => makers.get(row.createdBy) ?? row.createdBy },
    ]);
  });
}

async function show(keyId: string, options: JsonOption): Promise<void> {
  await withStore(async (store, config) => {
    const key = await requireKey(store, keyId);
    const organization = await requireOrganization(store, key.orgId);
    const described = describe(key, await readLastUses(config, [key]), Date.now());
    const makers = await namesOfMakers(store, [key]);
    if (options.json) return printJson({ ...described, organization: namesOf(organization) });
    printPairs([
      ["Id", described.id],
      ["Name", described.name],
      ["Organization", `${organization.name} (${organization.id}), tier ${organization.tier}`],
      ["Key", `${described.shownPrefix}…`],
      ["Permissions", described.permissions.join(", ")],
      ["State", described.state],
      ["Last used", formatOr(described.lastUsedAt, "never")],
      ["Expires", formatOr(described.expiresAt, "never")],
      ["Revoked", formatOr(described.revokedAt, "no")],
      ["Successor", described.successorId ?? "none"],
      ["Created", `${formatTime(described.createdAt)} by ${makers.get(key.createdBy) ?? key.createdBy}`],
    ]);
  });
}

async function revoke(keyId: string, options: JsonOption): Promise<void> {
  await withStore(async (store, config) => {
    const { key, wasRevoked } = await revokeKey(store, keyId, commandOrigin("key revoke"));
    if (options.json) return printJson({ ...describe(key, await readLastUses(config, [key]), Date.now()), wasRevoked });
    const since = formatTime(key.revokedAt ?? Date.now());
    if (wasRevoked) print(`"${key.name}" (${key.id}) was revoked already, on ${since}. Nothing has changed.`);
    else print(`Revoked "${key.name}" (${key.id}). Its next request is answered with KEY_REVOKED.`);
  });
}

async function rotate(keyId: string, options: JsonOption & { readonly overlap: string }): Promise<void> {
  const overlapMs = requireOverlap(options.overlap);
  await withStore(async (store, config) => {
    const { successor, old } = await rotateKey(store, keyId, overlapMs, commandOrigin("key rotate"));
    const organization = await requireOrganization(store, successor.orgId);
    if (options.json) {
      const replaces = { id: old.id, expiresAt: old.expiresAt };
      return printJson({ ...describeMade(successor), organization: namesOf(organization), replaces });
    }
    printMade(`Key "${successor.name}" of ${organization.name}, in place of ${old.id}`, successor, config);
    const end = overlapMs === 0 ? "has ended" : `works until ${formatTime(old.expiresAt ?? 0)}`;
    note(`The old key ${old.id} ${end}.`);
  });
}

function printMade(title: string, made: MadeKey, config: Config): void {
  print(`${paint("bold", title)}\n\n  ${made.key}\n`);
  print("It is shown this once. Keep it where only your server can read it.\n");
  printPairs([
    ["Id", made.id],
    ["Permissions", made.permissions.join(", ")],
    ["Expires", formatOr(made.expiresAt, "never")],
  ]);
  print(`\nTry it:\n  ${curlLine(baseUrlOf(config), "/me", made.key)}`);
}

/** Undefined where they cannot be read, which is no reason not to show the keys. */
async function readLastUses(config: Config, keys: readonly ApiKey[]): Promise<Map<string, number> | undefined> {
  try {
    if (config.redisUrl === undefined) return readLastUsed(join(config.dataDir, LIMITS_FILE));
    const redis = await import("../limits/redis-admissions.ts");
    const link = await redis.connectCommandToRedis(config.redisUrl);
    try {
      return await redis.readLastUsed(
        link,
        keys.map(({ id }) => id),
      );
    } finally {
      link.destroy();
    }
  } catch (error) {
    warn(`When keys were last used cannot be told. ${reasonOf(error)}`);
    return undefined;
  }
}

/** By id. Of those that a command made there is none. */
function namesOfMakers({ operator }: Store, keys: readonly ApiKey[]): Promise<ReadonlyMap<string, string>> {
  return readNames(
    operator,
    keys.map(({ createdBy }) => createdBy),
  );
}

function describe(key: ApiKey, lastUsed: ReadonlyMap<string, number> | undefined, now: number) {
  const { orgId: _, ...shown } = key;
  return { ...shown, state: stateOf(key, now), lastUsedAt: lastUsed?.get(key.id) ?? null };
}

function describeMade(made: MadeKey) {
  const { id, key, name, shownPrefix, permissions, expiresAt, createdBy, createdAt } = made;
  return { id, key, name, shownPrefix, permissions, expiresAt, createdBy, createdAt };
}

function namesOf({ id, name, tier }: Organization) {
  return { id, name, tier };
}

function formatOr(ms: number | null, absent: string): string {
  return ms === null ? absent : formatTime(ms);
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** 90d, 12h, 30m, 10s; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const match = /^(\d{1,9})\s*([smhd])$/i.exec(text.trim());
  const unitMs = UNITS_MS[match?.[2]?.toLowerCase() ?? ""];
  return match === null || unitMs === undefined ? undefined : Number(match[1]) * unitMs;
}

const OVERLAP_MAX_MS = 365 * 86_400_000;

export function requireOverlap(text: string): number {
  const overlapMs = text.trim() === "0" ? 0 : parseSpan(text);
  if (overlapMs !== undefined && overlapMs > OVERLAP_MAX_MS) {
    throw new UsageError(`--overlap may be at most 365d, not "${text}": until then both keys work.`);
  }
  if (overlapMs !== undefined) return overlapMs;
  throw new UsageError(`--overlap must be 0 or a span such as 24h, 30m or 7d (units s, m, h, d), not "${text}".`);
}

/** A span from now, a date (its first moment, UTC) or a date-time; always in the future. */
export function requireExpiry(text: string, now: number): number {
  const spanMs = parseSpan(text);
  const expiresAt = spanMs === undefined ? parseInstant(text.trim()) : now + spanMs;
  if (expiresAt === undefined || expiresAt > TIMESTAMP_MAX) {
    throw new UsageError(
      `--expires must be a span such as 90d or 12h, a date such as 2027-01-31, or a date-time such as 2027-01-31T12:00:00Z, not "${text}".`,
    );
  }
  const day = findMeantDay(text.trim());
  if (day !== undefined) {
    throw new UsageError(`--expires would read "${text}" as milliseconds since the Unix epoch; write ${day}.`);
  }
  if (expiresAt > now) return expiresAt;
  const moment = new Date(expiresAt).toISOString();
  throw new UsageError(`--expires must lie in the future; "${text}" is ${moment}. Choose a later one.`);
}
