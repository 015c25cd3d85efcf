import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS, HOUR_MS } from "@lineup/api/tiers";
import { APPLICATION_ID as LIMITS_APPLICATION, FORMAT_VERSION as LIMITS_FORMAT } from "../limits/journal-file.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import { listBreaks } from "../store/audit-look.ts";
import { readMarks, type SavedMarks } from "../store/audit-marks.ts";
import { LIMITS_FILE, REQUESTS_FILE } from "../store/data-folder.ts";
import { requireSecret, SECRET_FILE } from "../store/secret-file.ts";
import {
  type Check,
  checkOf,
  type Finding,
  failure,
  type Installation,
  makeCheck,
  ok,
  orOk,
  type Subject,
  skipped,
  splitAdvice,
  UNREAD,
  warning,
} from "./check.ts";
import { CHECKED_MAX_BYTES, explainReading, openReadOnly, readEmbedded } from "./embedded-facts.ts";
import { readFound } from "./postgres-facts.ts";
import { findSealer, type ToldChain } from "./store-contents.ts";

const JOURNAL_MAX_BYTES = 128 * 1024 * 1024;
/** Sixteen digits are all that a good one may have. */
const DISTINCT_MIN = 6;
const ANOTHER =
  'For a new store, make one with: node -p "crypto.randomBytes(32).toString(\'hex\')"; for this one, see "The secret" in docs/people-and-audit.md first.';
const OVERDUE_MS = 15 * 60_000;
const isEmbedded = ({ config, unusable }: Installation) =>
  config.databaseUrl === undefined && !unusable.has("LINEUP_DATABASE_URL");
const ELSEWHERE = skipped("The store is not in the data folder.");

const storeFile = makeCheck("store", "Embedded store", async (installation) => {
  if (!isEmbedded(installation)) return ELSEWHERE;
  if ((await stat(installation.config.dataDir).catch(() => undefined)) === undefined)
    return skipped("There is no data folder.");
  const { missingSteps, isChecked } = await installation.read(readEmbedded);
  if (missingSteps > 0) {
    const found = `The store is of an older version: ${missingSteps} steps of its schema are missing.`;
    return warning(found, 'Make a backup, then run "npx lineup migrate"; the next start of the server does so too.');
  }
  return ok(
    isChecked
      ? "whole, and of this version"
      : "of this version; too large to look through here, npx lineup backup does",
  );
});

const checkFile = checkOf(readEmbedded, undefined, (installation) =>
  isEmbedded(installation) ? undefined : ELSEWHERE,
);
const journal = checkFile("store-journal", "Its journal", ({ journalBytes }) => {
  const size = `${Math.round(journalBytes / 1_000_000)} MB`;
  if (journalBytes <= JOURNAL_MAX_BYTES) return ok(`${size} are yet to go into lineup.db`);
  return warning(
    `lineup.db-wal has grown to ${size}: reads get slower, and the disk fills.`,
    "End what keeps the store open for long, such as a hanging backup or a SQLite shell, then restart the server, which folds it in.",
  );
});

const limitsFile = sideFile(
  "limits",
  "Counted requests",
  LIMITS_FILE,
  ({ config }) => config.redisUrl === undefined,
  "to start with empty windows",
);
const requestsFile = sideFile("request-log", "Request log", REQUESTS_FILE, isEmbedded, "to begin the request log anew");

function sideFile(
  id: string,
  title: string,
  name: string,
  isUsed: (installation: Installation) => boolean,
  purpose: string,
): Check {
  return {
    id,
    title,
    run: async (installation) => {
      const file = join(installation.config.dataDir, name);
      if (!isUsed(installation)) return skipped(`${name} is not used.`);
      const size = (await stat(file).catch(() => undefined))?.size;
      if (size === undefined) return ok(`${name} is not there yet`);
      const todo = `Stop the server and move ${file} away with its -wal and -shm, ${purpose}.`;
      try {
        const fault = size > CHECKED_MAX_BYTES ? undefined : findFaultOf(file, name);
        return fault === undefined ? ok("whole") : failure(`${file} cannot be used: ${fault}.`, todo);
      } catch (error) {
        // A full disk or a right that is missing is no reason to give up what was counted.
        return { state: "fail", ...splitAdvice(explainReading(file, error, todo).message) };
      }
    },
  };
}

function findFaultOf(file: string, name: string): string | undefined {
  const opened = openReadOnly(file);
  try {
    const damage = opened.findDamage("quick_check");
    if (damage !== undefined) return `it is damaged (${damage})`;
    if (name !== LIMITS_FILE || opened.version === 0) return undefined;
    if (opened.applicationId !== LIMITS_APPLICATION) return "it is a file of another program";
    return opened.version > LIMITS_FORMAT ? `its format ${opened.version} is of a newer version of Lineup` : undefined;
  } finally {
    opened.close();
  }
}

const secret = makeCheck("secret", "Secret", async (installation) => {
  const { config } = installation;
  if (installation.unusable.has("LINEUP_SECRET")) return skipped("LINEUP_SECRET cannot be used.");
  const file = join(config.dataDir, SECRET_FILE);
  const name = config.secret === undefined ? file : "LINEUP_SECRET";
  const isMissing =
    config.secret === undefined &&
    config.databaseUrl === undefined &&
    (await stat(file).catch(() => undefined)) === undefined;
  const found = await installation.read(readFound).catch(() => undefined);
  const sealed = found?.chains.filter(({ claim }) => claim.count > 0) ?? [];
  if (isMissing) {
    if (sealed.length === 0) return ok("made at the first start");
    return failure(
      `${file} is missing: it seals the audit log and opens second factors and webhooks' secrets.`,
      `Put your copy back as ${file} (chmod 600), or set LINEUP_SECRET_FILE to where it is.`,
    );
  }
  // Says what is wrong with it, and what to do, where it cannot be used.
  const value = requireSecret(config);
  if (sealed.length > 0 && sealed.every(({ claim }) => claim.seal === null)) {
    return failure(
      `${name} is not the secret that this store was sealed with.`,
      `Put the one back that the server used before, as ${file} or LINEUP_SECRET; see "The secret" in docs/people-and-audit.md.`,
    );
  }
  return orOk(
    [new Set(value).size < DISTINCT_MIN && warning(`${name} repeats a few characters, and can be guessed.`, ANOTHER)],
    found === undefined ? "can be read" : "the one that this store was sealed with",
  );
});

const auditLog = makeCheck("audit-log", "Audit log", async (installation) => {
  const { config } = installation;
  // Says what is wrong with the file of what was seen.
  const marks = await readMarks(config.dataDir);
  const sealer = findSealer(config);
  if (sealer === undefined) return skipped("Without the secret no seal can be checked.");
  const kind = config.databaseUrl === undefined ? "sqlite" : "postgres";
  const found = await installation.read(readFound).catch(() => undefined);
  if (found === undefined) return skipped(UNREAD);
  const { chains, marks: seen } = found;
  const isOfThis = marks?.store === kind && seen !== undefined && chains.some((chain) => isKnownTo(seen, chain));
  const known = isOfThis ? seen.chains : new Map<string, never>();
  const broken = chains
    .filter(({ claim }) => claim.seal !== null)
    .flatMap(({ chainId, claim }) =>
      listBreaks({ chainId, claim, sealer, known: known.get(chainId) }).map((fault) => `${chainId}: ${fault}`),
    );
  if (broken.length === 0) return ok("every log ends where this server sealed it");
  return failure(
    `The audit log is not as it was sealed. ${broken.slice(0, 3).join(" ")}`,
    'Run "npx lineup audit verify", which says what is wrong where, and compare with the last good backup.',
  );
});

/** What was seen may be of another store, such as one that was in this place before; it then says nothing of this one. */
function isKnownTo({ chains }: SavedMarks, { chainId, claim }: ToldChain): boolean {
  const seen = chains.get(chainId);
  return seen !== undefined && (chainId !== INSTALLATION_CHAIN || seen.hash === claim.known_hash);
}

const check = checkOf(readFound);

const people = check("first-owner", "First owner", ({ users, owners, organizations }) => {
  const todo =
    "Open /setup with the token from the server's log, or run: npx lineup user create --email EMAIL --org ORG --role owner";
  if (users === 0)
    return warning("Nobody has an account: the first who finds the token of /setup becomes the first owner.", todo);
  if (organizations > 0 && owners === 0) return warning("No organization has an owner.", todo);
  return ok(
    `${users} ${users === 1 ? "account" : "accounts"}, ${organizations} ${organizations === 1 ? "organization" : "organizations"}`,
  );
});

/** What people and commands disable is as they want it. */
const BY_SOMEBODY = "Disabled by ";

function sayAge(ms: number): string {
  const [size, unit] = ms < HOUR_MS ? [60_000, "minute"] : ms < DAY_MS ? [HOUR_MS, "hour"] : [DAY_MS, "day"];
  const number = Math.max(Math.floor(ms / size), 1);
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

const webhooks = check("webhooks", "Webhooks", (contents) => {
  const now = Date.now();
  const findings: Finding[] = [];
  for (const {
    id,
    failing_since: since,
    disabled_at: disabledAt,
    disabled_reason: reason,
    next_due_at: dueAt,
  } of contents.webhooks) {
    const todo = `See why with "npx lineup webhook test ${id}"; when it answers, `;
    if (disabledAt !== null && reason !== null && !reason.startsWith(BY_SOMEBODY)) {
      findings.push(warning(`${id} was disabled: ${reason}`, `${todo}npx lineup webhook enable ${id}`));
    } else if (disabledAt === null && since !== null) {
      findings.push(
        warning(
          `${id} has taken nothing for ${sayAge(now - since)}; after five days it is disabled.`,
          `${todo}what waits is sent by itself.`,
        ),
      );
    } else if (disabledAt === null && since === null && dueAt !== null && now - dueAt > OVERDUE_MS) {
      findings.push(
        warning(
          `${id} waits for what should have been sent ${Math.round((now - dueAt) / 60_000)} minutes ago.`,
          "Start the server, or look in its log for what keeps webhooks from being sent.",
        ),
      );
    }
  }
  return orOk(findings.slice(0, 10), "none fails");
});

export const STORE_SUBJECT: Subject = {
  title: "Store",
  checks: [storeFile, journal, limitsFile, requestsFile, secret, auditLog, people, webhooks],
};
