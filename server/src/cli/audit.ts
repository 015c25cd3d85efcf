/** `lineup audit …`: whether the audit log is whole. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { requireOrganization } from "../access/organizations.ts";
import type { Receipt } from "../audit/audit-receipt.ts";
import type { AuditReport, CheckedChain } from "../audit/verify-audit.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import { AuditSealer } from "../store/audit-seal.ts";
import { findSecret } from "../store/secret-file.ts";
import { addExamples } from "./examples.ts";
import { EXIT_FAILED } from "./failure.ts";
import { count, formatTime, note, paint, print, printJson } from "./output.ts";
import { startProgress } from "./progress.ts";
import { withStore } from "./with-store.ts";

interface VerifyCommandOptions {
  readonly org?: string;
  readonly receipt?: string;
  readonly json?: boolean;
}

export function addTo(program: Command): void {
  const audit = program.command("audit").description("Check the audit log");
  addExamples(audit, ["npx lineup audit verify", "npx lineup audit verify --help"]);
  addExamples(
    audit
      .command("verify")
      .description("Find any entry of the audit log that was altered, removed, moved, put in or cut off")
      .option("--org <ORG>", "one organization alone, by its id or exact name")
      .option(
        "--receipt <FILE>",
        "hold the log against this file of an earlier check, then renew it; keep it where the database's administrator cannot write",
      )
      .option("--json", "print what was found as JSON")
      .action(verify),
    [
      "npx lineup audit verify",
      'npx lineup audit verify --org "Northwind Esports"',
      "npx lineup audit verify --receipt /mnt/auditor/lineup-receipt.json",
      "npx lineup audit verify --json",
    ],
  );
}

async function verify(options: VerifyCommandOptions): Promise<void> {
  await withStore(async (store, config) => {
    const { verifyAudit } = await import("../audit/verify-audit.ts");
    const { readReceipt } = await import("../audit/audit-receipt.ts");
    const orgId = options.org === undefined ? undefined : (await requireOrganization(store, options.org)).id;
    const file = options.receipt === undefined ? undefined : resolve(options.receipt);
    const receipt = file === undefined ? undefined : readReceipt(file);
    const secret = findSecret(config.dataDir, config.secret);
    const sealer = secret === undefined ? undefined : new AuditSealer(secret);
    const now = Date.now();
    const progress = startProgress("Checking the audit log");
    try {
      const report = await verifyAudit(store, {
        sealer,
        orgId,
        receipt,
        onProgress: (done, total) => progress.update(done, total, "entries"),
      });
      progress.end();
      if (!report.isWhole) process.exitCode = EXIT_FAILED;
      if (options.json) printJson(report);
      else printReport(report, receipt);
      if (file !== undefined) await renewReceipt(file, receipt, report, now);
    } finally {
      progress.end();
    }
  });
}

async function renewReceipt(
  file: string,
  before: Receipt | undefined,
  report: AuditReport,
  now: number,
): Promise<void> {
  if (!report.isWhole) return note(`${file} was left as it is.`);
  const { writeReceipt } = await import("../audit/audit-receipt.ts");
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

function printReport(report: AuditReport, receipt: Receipt | undefined): void {
  const { chains, findings, entries, untold } = report;
  for (const { chainId, name, seq, message } of findings) {
    const where = chainId === INSTALLATION_CHAIN ? "Installation" : `${name ?? "Unknown organization"} (${chainId})`;
    print(`${paint("red", "✗")} ${where}${seq === null ? "" : `, entry ${seq}`}: ${message}`);
  }
  if (untold > 0) print(`${paint("red", "✗")} And ${untold.toLocaleString("en")} more like these.`);
  const checked = `${count(chains.length, "log")} with ${count(entries, "entry", "entries")}`;
  if (!report.isWhole) {
    print(`The audit log is not whole: ${count(findings.length + untold, "finding")} in ${checked}.`);
    note("Keep a copy of the database as it is, and compare it with your backups. docs/operating.md says what to do.");
    return;
  }
  const since = receipt === undefined ? "" : `, and goes on from the receipt of ${formatTime(receipt.takenAt)}`;
  print(`${paint("green", "✓")} The audit log is whole: ${checked}${since}.`);
  noteVouching(chains, report.mark);
}

/** Machines without a common secret each vouch for what they have sealed. */
function noteVouching(chains: readonly CheckedChain[], mark: string | null): void {
  const open = chains.filter(({ vouchedTo, count }) => vouchedTo < count);
  if (open.length === 0 || mark === null) return;
  note(`This machine's secret, marked ${mark}, does not vouch for all of it:`);
  for (const { chainId, name, vouchedTo, count: all, marks } of open.slice(0, 20)) {
    const others = marks.filter((one) => one !== mark).join(", ");
    note(
      `  ${name ?? chainId}: for ${vouchedTo} of ${count(all, "entry", "entries")}; the rest is sealed under ${others}.`,
    );
  }
  if (open.length > 20) note(`  and ${count(open.length - 20, "more log")}.`);
  note("Set the same LINEUP_SECRET on every machine, and one can vouch for what all of them record.");
}
