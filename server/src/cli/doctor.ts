/** `lineup doctor`: what is right about a server and what is not, and what to do about that. Changes nothing. */
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { readUsableConfig } from "../config.ts";
import { BACKUP_SUBJECT } from "../doctor/backup-checks.ts";
import { CERTIFICATE_SUBJECT } from "../doctor/certificate-checks.ts";
import {
  hideSecrets,
  type Installation,
  lookAt,
  type ReportedFinding,
  runChecks,
  type State,
  type Subject,
} from "../doctor/check.ts";
import { CLOCK_SUBJECT } from "../doctor/clock-checks.ts";
import { FOLDER_SUBJECT } from "../doctor/folder-checks.ts";
import { POSTGRES_SUBJECT } from "../doctor/postgres-checks.ts";
import { PROXY_SUBJECT } from "../doctor/proxy-checks.ts";
import { REDIS_SUBJECT } from "../doctor/redis-checks.ts";
import { SERVER_SUBJECT } from "../doctor/server-checks.ts";
import { SETTINGS_SUBJECT } from "../doctor/settings-checks.ts";
import { STORE_SUBJECT } from "../doctor/store-checks.ts";
import { isDataFolderHeld } from "../store/data-folder.ts";
import { addCommand } from "./command.ts";
import { count, EXIT_FAILED, type JsonOption, paint, print, printJson, UsageError, visible } from "./output.ts";
import { findServerAddress, originOf } from "./server-address.ts";

/** All that is looked at, in the order in which it is told. */
export const SUBJECTS: readonly Subject[] = [
  SETTINGS_SUBJECT,
  FOLDER_SUBJECT,
  STORE_SUBJECT,
  POSTGRES_SUBJECT,
  REDIS_SUBJECT,
  SERVER_SUBJECT,
  CERTIFICATE_SUBJECT,
  PROXY_SUBJECT,
  CLOCK_SUBJECT,
  BACKUP_SUBJECT,
];

interface DoctorOptions extends JsonOption {
  readonly url?: string;
  readonly backups?: string;
}

export function addTo(program: Command): void {
  const description =
    "Look at settings, stores, clocks, certificate, proxy, disk and backups, and say what to do about what is not right";
  addCommand(program, "doctor", description, [
    "npx lineup doctor",
    "npx lineup doctor --url https://lineup.example.com --backups /var/backups",
  ])
    .option("--url <URL>", "the address that clients use; unless told, LINEUP_PUBLIC_URL")
    .option("--backups <PATH>", "the folder that backups are written to, or one of them, to judge the newest")
    .option("--json", "print what was found as JSON")
    .addHelpText(
      "after",
      "\nIt changes nothing. Run it with the server's settings, while it runs or not.\nExit codes: 0 all right, or with warnings alone; 1 something is wrong.",
    )
    .action(doctor);
}

async function doctor(options: DoctorOptions): Promise<void> {
  const installation = lookAtThis(options);
  const found = (await runChecks(SUBJECTS, installation)).map((one) => hideSecrets(one, installation.secrets));
  const totals: Record<State, number> = { ok: 0, warn: 0, fail: 0, skipped: 0 };
  for (const { state } of found) totals[state] += 1;
  if (options.json) printJson({ version: manifest.version, ...totals, checks: found });
  else printFindings(found, totals);
  if (totals.fail > 0) process.exitCode = EXIT_FAILED;
}

function lookAtThis(options: DoctorOptions): Installation {
  const read = readUsableConfig();
  const { config, unusable } = read;
  const worldUrl = options.url === undefined ? config.publicUrl : readUrl(options.url);
  const isKnown = !["LINEUP_HOST", "LINEUP_PORT", "PORT", "LINEUP_TLS_CERT", "LINEUP_TLS_KEY"].some((name) =>
    unusable.has(name),
  );
  // Plain HTTP that a proxy stands before is reached on this machine all the same.
  const meantUrl = isKnown && config.port !== 0 ? originOf({ ...config, isLoopback: true }) : undefined;
  const localUrl = findServerAddress(config)?.origin ?? meantUrl;
  const isHeld = isDataFolderHeld(config.dataDir);
  return lookAt({ ...read, version: manifest.version, localUrl, isHeld, worldUrl, backups: options.backups });
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError("--url must be an address such as https://lineup.example.com.");
  }
  return url.origin;
}

const SIGNS = {
  ok: ["✓", "green"],
  warn: ["!", "yellow"],
  fail: ["✗", "red"],
  skipped: ["-", "dim"],
} as const;

function printFindings(found: readonly ReportedFinding[], totals: Record<State, number>): void {
  const width = Math.max(...found.map(({ title }) => title.length));
  for (const [subject, findings] of Map.groupBy(found, (one) => one.subject)) {
    print(paint("bold", subject));
    const told = new Set<string>();
    for (const { state, title, found: text, todo } of findings) {
      // What was left out for one reason is one line.
      if (state === "skipped" && told.has(text)) continue;
      told.add(text);
      const [sign, colour] = SIGNS[state];
      print(`  ${paint(colour, `${sign} ${state.padEnd(7)}`)} ${title.padEnd(width)}  ${visible(text)}`);
      if (todo !== undefined) print(`${" ".repeat(width + 14)}→ ${visible(todo)}`);
    }
    print();
  }
  const { fail, warn, ok, skipped } = totals;
  print(`${ok} right, ${count(warn, "warning")}, ${fail} wrong, ${skipped} not looked at.`);
}
