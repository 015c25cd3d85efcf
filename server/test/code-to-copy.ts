/** Code that documents and pages give people to copy: compiled, or run in a process of its own, as they would. */
import { type ChildProcessByStdio, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { ROOT } from "./docs-tables.ts";

/** Where the client begins, once it is there. */
const CLIENT = ["index.ts", "lineup.ts"].map((file) => join(ROOT, "sdk/src", file)).find((file) => existsSync(file));
const LINEUP = join(ROOT, "server/bin/lineup.mjs");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

export const hasClient = CLIENT !== undefined;
export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Beside what finds programs, code sees the variables given and nothing of the environment that the tests run in. */
export type Variables = Readonly<Record<string, string>>;

function environmentOf(variables: Variables, path = process.env.PATH ?? "") {
  return { PATH: path, HOME: tmpdir(), ...variables };
}

/** A folder that is gone when the test is over. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lineup-code-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Gives back what it prints. `npx lineup` is this repository's. */
export async function runShell(code: string, variables: Variables): Promise<string> {
  const cwd = await makeFolder();
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${LINEUP}" "$@"\n`;
  await writeFile(join(cwd, "npx"), npx, { mode: 0o755 });
  const env = environmentOf(variables, `${cwd}:${process.env.PATH}`);
  return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", code], { cwd, env })).stdout;
}

/** Gives back what it prints. */
export async function runPython(code: string, variables: Variables): Promise<string> {
  return (await promisify(execFile)("python3", ["-c", code], { env: environmentOf(variables) })).stdout;
}

export interface RunningCode {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  /** What it has printed so far, its complaints included. */
  printed(): string;
}

/** For code that goes on until it is stopped, which happens when the test is over. */
export function startPython(code: string, variables: Variables): RunningCode {
  const child = spawn("python3", ["-c", code], {
    env: environmentOf(variables),
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += String(piece)));
  return { process: child, printed: () => text };
}

/** What TypeScript, under this project's rules, has to say against these modules; empty when nothing. */
export async function findTypeFaults(modules: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeFolder();
  const configuration = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      paths: { "@lineup/client": [CLIENT] },
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
    include: [folder],
  };
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(configuration));
  for (const [name, code] of Object.entries(modules)) await writeFile(join(folder, `${name}.ts`), code);
  try {
    execFileSync(process.execPath, [TSC, "-p", folder], { encoding: "utf8" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
