/** `lineup audit …`: whether the audit log is whole. */
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { requireOrganization } from "../access/organizations.ts";
import { type Receipt, readReceipt, writeReceipt } from "../audit/audit-receipt.ts";
import type { UnvouchedStretch } from "../audit/chain-walk.ts";
import { type AuditReport, verifyAudit } from "../audit/verify-audit.ts";
import type { Config } from "../config.ts";
import { AuditSealer, describeStretch } from "../store/audit-chain.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import { readMarks } from "../store/audit-marks.ts";
import { findSecret, SECRET_FILE } from "../store/secret-file.ts";
import { addCommand, withStore } from "./command.ts";
import { count, EXIT_FAILED, explainFailure, formatTime, note, paint, print, printJson, warn } from "./output.ts";
import { withProgress } from "./progress.ts";

const LINES_MAX = 20;

interface VerifyCommandOptions {
  readonly org?: string;
  readonly receipt?: string;
  readonly acceptOthers?: boolean;
  readonly json?: boolean;
}

export function addTo(program: Command): void {
  const audit = addCommand(program, "audit", "Check the audit log", [
    "npx lineup audit verify",
    "npx lineup audit verify --help",
  ]);
  const description = "Find any entry of the audit log that was altered, removed, moved, put in or cut off";
  addCommand(audit, "verify", description, [
    "npx lineup audit verify",
    'npx lineup audit verify --org "Northwind Esports"',
    "npx lineup audit verify --receipt /mnt/auditor/lineup-receipt.json",
    "npx lineup audit verify --accept-others --json",
  ])
    .option("--org <ORG>", "one organization alone, by its id or exact name")
    .option(
      "--receipt <FILE>",
      "hold the log against this file of an earlier check, then renew it; keep it where the database's administrator cannot write",
    )
    .option("--accept-others", "do not fail for entries that only an earlier secret can vouch for")
    .option("--json", "print what was found as JSON")
    .action(verify);
}

async function verify(options: VerifyCommandOptions): Promise<void> {
  await withStore(async (store, config) => {
    const orgId = options.org === undefined ? undefined : (await requireOrganization(store, options.org)).id;
    const file = options.receipt === undefined ? undefined : resolve(options.receipt);
    const receipt = file === undefined ? undefined : readReceipt(file);
    const secret = findSecret(config);
    const sealer = secret === undefined ? undefined : new AuditSealer(secret);
    const marks = await readMarks(config.dataDir).catch((error: unknown) => {
      warn(explainFailure(error));
      return undefined;
    });
    const now = Date.now();
    const report = await withProgress("Checking the audit log", ({ update }) =>
      verifyAudit(store, {
        sealer,
        orgId,
        receipt,
        marks,
        onProgress: (done, total) => update(done, total, "entries"),
      }),
    );
    const isPassed = report.isWhole && (report.isVouched || options.acceptOthers === true);
    if (!isPassed) process.exitCode = EXIT_FAILED;
    if (options.json) printJson({ isPassed, ...report });
    else printReport(report, receipt, isPassed, describePlace(config));
    if (file === undefined) return;
    if (isPassed) renewReceipt(file, receipt, report, now);
    else note(`${file} was left as it is.`);
  });
}

function renewReceipt(file: string, before: Receipt | undefined, report: AuditReport, now: number): void {
  const checked = new Map(report.chains.map(({ chainId, count, hash }) => [chainId, { count, hash }]));
  // What was not asked for stays as it was.
  for (const [chainId, end] of Object.entries(before?.chains ?? {})) {
    if (!checked.has(chainId) && !report.deleted.includes(chainId)) checked.set(chainId, end);
  }
  writeReceipt(file, now, Object.fromEntries(checked));
  note(
    `${before === undefined ? "Wrote" : "Renewed"} ${file}. Keep it where the database's administrator cannot write.`,
  );
}

/** Where the secret belongs. */
function describePlace({ dataDir, databaseUrl, secret }: Config): string {
  if (secret !== undefined || databaseUrl !== undefined) {
    return "If LINEUP_SECRET is another than the servers have, set it to theirs.";
  }
  const file = join(dataDir, SECRET_FILE);
  return `If this data folder came here without its file "secret", put that one back as ${file}, from the folder it comes from or from your copy.`;
}

function printReport(report: AuditReport, receipt: Receipt | undefined, isPassed: boolean, place: string): void {
  const { chains, findings, entries, untold } = report;
  for (const { chainId, name, seq, message } of findings) {
    print(`${paint("red", "✗")} ${describeChain(chainId, name)}${seq === null ? "" : `, entry ${seq}`}: ${message}`);
  }
  if (untold > 0) print(`${paint("red", "✗")} And ${untold.toLocaleString("en")} more like these.`);
  const checked = `${count(chains.length, "log")} with ${count(entries, "entry", "entries")}`;
  if (report.mark === null && entries > 0 && findings.length === 1) {
    print(`Whether the audit log is whole cannot be told without the secret: ${checked}.`);
    note(place);
    return;
  }
  if (!report.isWhole) {
    print(`The audit log is not whole: ${count(findings.length + untold, "finding")} in ${checked}.`);
    printUnvouched(report);
    note(
      "Keep a copy of the database as it is, and compare it with your backups. docs/people-and-audit.md says what to do.",
    );
    return;
  }
  const since = receipt === undefined ? "" : `, and goes on from the receipt of ${formatTime(receipt.takenAt)}`;
  if (report.isVouched) {
    print(`${paint("green", "✓")} The audit log is whole: ${checked}${since}.`);
    return;
  }
  const open = chains.reduce((sum, { unvouchedEntries }) => sum + unvouchedEntries, 0);
  const mark = isPassed ? paint("green", "✓") : paint("red", "✗");
  print(
    `${mark} Nothing was found in ${checked}${since}, but ${count(open, "entry", "entries")} cannot be vouched for here.`,
  );
  printUnvouched(report, isPassed ? undefined : place);
}

function describeChain(chainId: string, name: string | null): string {
  return chainId === INSTALLATION_CHAIN ? "Installation" : `${name ?? "Unknown organization"} (${chainId})`;
}

/** What only other secrets than this machine's could vouch for; with the place of the secret where that is a fault. */
function printUnvouched({ chains, mark }: AuditReport, place?: string): void {
  const open = chains.filter(({ unvouchedEntries }) => unvouchedEntries > 0);
  if (open.length === 0) return;
  const lines = open.flatMap(({ chainId, name, unvouched }) =>
    unvouched.map((stretch) => `${describeChain(chainId, name)}: ${describeUnvouched(stretch)}`),
  );
  for (const line of lines.slice(0, LINES_MAX)) print(`${paint("yellow", "?")} ${line}`);
  if (lines.length > LINES_MAX) print(`${paint("yellow", "?")} And more like these; --json has them.`);
  note(`This machine's secret is marked ${mark}.`);
  if (place === undefined) return;
  note(
    "Anyone who has the database could have written these. Run this where that secret is; or keep receipts (--receipt).",
  );
  note(place);
  note("Where this is as it should be, --accept-others makes it no failure.");
}

function describeUnvouched(stretch: UnvouchedStretch): string {
  const by = stretch.by.length === 0 ? "" : `, marked ${stretch.by.join(" or ")},`;
  const who = stretch.why === "earlier" ? "an earlier secret" : "another machine's secret";
  return `${describeStretch(stretch)} sealed by ${who}${by} and cannot be vouched for here.`;
}
