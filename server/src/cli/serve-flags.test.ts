import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const BIN = fileURLToPath(new URL("../../bin/lineup.mjs", import.meta.url));

/** The command line and the variable of the process that was started, once it serves. */
async function serve(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-test-"));
  const child: ChildProcess = spawn(process.execPath, [BIN, "serve", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0", ...env },
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await rm(dataDir, { recursive: true, force: true });
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      said += chunk;
      if (said.includes("listening")) resolve();
    });
    child.once("exit", () => reject(new Error(`It ended: ${said}`)));
  });
  const parts = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, "utf8").split("\0");
  const stop = async () => {
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
    return said;
  };
  return {
    stop,
    size: parts("cmdline").find((part) => part.includes("semi-space-size")),
    arenas: parts("environ").find((part) => part.startsWith("MALLOC_ARENA_MAX=")),
    said,
  };
}

const ONE_ARENA = "MALLOC_ARENA_MAX=1";

it.runIf(process.platform === "linux").each([
  ["a server", [], {}, "--max-semi-space-size=8", ONE_ARENA],
  ["who has set the variable", [], { MALLOC_ARENA_MAX: "3" }, "--max-semi-space-size=8", "MALLOC_ARENA_MAX=3"],
  ["who has given a size", [], { NODE_OPTIONS: "--max-semi-space-size=4" }, undefined, ONE_ARENA],
  ["who has given it as V8 writes it", [], { NODE_OPTIONS: "--max_semi_space_size=4" }, undefined, ONE_ARENA],
])("begins again in the same process with what keeps memory small: %s", async (_, args, env, size, arenas) => {
  const found = await serve(args, env);
  expect([found.size, found.arenas]).toEqual([size, arenas]);
  expect(found.said).not.toMatch(/warning/i);
});

it.runIf(process.platform === "linux")("leaves a process alone that was given open files by name", async () => {
  const found = await serve([], { LINEUP_TEST_FILE: "/dev/fd/7" });
  expect(found.size).toBeUndefined();
});

/** Says, when the process ends, what of this it has loaded: what Node brings along, and what comes from a package. */
const TELL_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from "node:module";
  process.on("exit", () => {
    const own = Object.keys(createRequire("${import.meta.url}").cache);
    const loaded = [...process.moduleLoadList, ...own];
    process._rawDebug("loaded: " + ["deps/undici/undici", "/fastify/lib/", "/node_modules/ajv/"].filter((name) => loaded.some((one) => one.includes(name))).join(" "));
  });
`)}`;

it.runIf(process.platform === "linux")(
  "loads neither an HTTP client nor a checker of schemas that nobody asks for",
  async () => {
    const { stop } = await serve([], { NODE_OPTIONS: `--import=${TELL_LOADED}` });
    // Fastify itself, so that it is known to tell.
    expect((await stop()).match(/^loaded: .*$/m)?.[0]).toBe("loaded: /fastify/lib/");
  },
);
