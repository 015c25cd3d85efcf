/** Installs Debian packages where a test run may: as root, with apt-get. What was installed stays; no service of it is started. */
import { spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { findProgram } from "./binaries.ts";

/** A package that asks this file before it starts a service is told not to. */
const POLICY = "/usr/sbin/policy-rc.d";
const INSTALL_MS = 300_000;
const APT_OPTIONS = [
  "-y",
  // Another run may be installing the same.
  ...["-o", "DPkg::Lock::Timeout=240"],
  ...["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=10", "-o", "Acquire::https::Timeout=10"],
];

/** Undefined where it was installed, else the reason why not, as the end of a sentence. */
export async function tryToInstall(packageName: string): Promise<string | undefined> {
  const apt = findProgram("apt-get");
  if (apt === undefined) return "there is no apt-get to install it with";
  if (process.getuid?.() !== 0) return "only root may install it";
  console.log(`Installing the package ${packageName} …`);
  const endPolicy = forbidStarts();
  try {
    const install = ["install", "--no-install-recommends", ...APT_OPTIONS, packageName];
    if ((await runQuietly(apt, install)) === "") return undefined;
    // A machine that has never installed anything does not know what there is.
    await runQuietly(apt, ["update", ...APT_OPTIONS]);
    const complaint = await runQuietly(apt, install);
    return complaint === "" ? undefined : `it could not be installed: ${complaint}`;
  } finally {
    endPolicy();
  }
}

function forbidStarts(): () => void {
  if (existsSync(POLICY)) return () => {};
  writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}

/** Empty where it went well, else the last line of its complaint. */
function runQuietly(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
    const child = spawn(file, args, { env, stdio: ["ignore", "ignore", "pipe"], timeout: INSTALL_MS });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-2000);
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => {
      resolve(code === 0 ? "" : complaint.trim().split("\n").at(-1) || `${file} ended with ${code}`);
    });
  });
}
