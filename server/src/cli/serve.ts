/** `lineup serve`: runs the server until it is told to stop. */

import cluster from "node:cluster";
import { BASE_PATH } from "@lineup/api/endpoint";
import { type Command, InvalidArgumentError } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import type { RunningServer } from "../app.ts";
import {
  type Config,
  countWorkers,
  describeStore,
  explainWorkers,
  listMissingForWorkers,
  parseWorkers,
  type WorkerCount,
} from "../config.ts";
import { makeOwnerOfSettings, type OfferedSetUp, offerSetUp } from "../identity/first-owner.ts";
import { linkUrl } from "../identity/links.ts";
import { findUserRow } from "../identity/users.ts";
import { announceSetUp } from "../server-parts.ts";
import { SETTINGS } from "../settings.ts";
import type { Store } from "../store/store.ts";
import { codeOf, reasonOf } from "../store/store-error.ts";
import { addCommand, readConfigAloud } from "./command.ts";
import { type Demo, prepareDemo, SAMPLE_OWNER_EMAIL } from "./demo.ts";
import { CommandError, note, paint, print, printPairs, shellWord } from "./output.ts";
import { curlLine, originOf, writeServerAddress } from "./server-address.ts";

/**
 * A terminal tells every process of its group that Ctrl-C was pressed, and npm then passes it on as well. What arrives this
 * soon after the first is the same press, not an impatient second one.
 */
const SAME_SIGNAL_MS = 500;

const LOOK_FOR_PARENT_EVERY_MS = 200;

export function addTo(program: Command): void {
  const width = Math.max(...SETTINGS.map(({ name }) => name.length));
  const settings = SETTINGS.map(({ name, meaning, secret, default: value }) => {
    const notes = [value === undefined ? "" : ` (default: ${value})`, secret ? ` Or ${name}_FILE.` : ""].join("");
    return `  ${name.padEnd(width)}  ${meaning}${notes}`;
  }).join("\n");
  addCommand(program, "serve", "Run the server until SIGTERM, Ctrl-C or a closed terminal (SIGHUP) stops it", [
    "npx lineup serve --demo",
    "LINEUP_DATABASE_URL=postgres://… LINEUP_REDIS_URL=redis://… npx lineup serve --workers auto",
    "LINEUP_PORT=8080 LINEUP_DATA_DIR=/var/lib/lineup npx lineup serve",
    "LINEUP_HOST=0.0.0.0 LINEUP_TLS_CERT=cert.pem LINEUP_TLS_KEY=key.pem npx lineup serve",
  ])
    .option(
      "--demo",
      "on loopback and where there is no organization yet: make a sample one, a key and a link to sign in",
    )
    .option(
      "--workers <count>",
      "how many processes serve on the port, with PostgreSQL and Redis: a number, or auto for one a core",
      readWorkers,
    )
    .addHelpText("after", "\nA renewed certificate is taken up by itself; no signal is needed.")
    .addHelpText("after", `\nSettings (environment variables):\n${settings}`)
    .action(serve);
}

function readWorkers(text: string): WorkerCount {
  const count = parseWorkers(text);
  if (count === undefined) throw new InvalidArgumentError(`--workers ${explainWorkers(text)}`);
  return count;
}

/** How many processes are to serve; throws where several cannot. */
function requireWorkers(asked: WorkerCount, config: Config): number {
  const count = countWorkers(asked, config);
  const missing = listMissingForWorkers(config);
  if (count === 1 || missing.length === 0) return count;
  const reason =
    config.databaseUrl === undefined
      ? "the embedded store has one writer"
      : "without Redis each would count requests by itself";
  throw new CommandError(
    `${count} workers need PostgreSQL and Redis: ${reason}. ` +
      `Set ${missing.join(" and ")}, or leave --workers and LINEUP_WORKERS out.`,
  );
}

async function serve(options: { readonly demo?: boolean; readonly workers?: WorkerCount }): Promise<void> {
  if (cluster.isWorker) return (await import("../cluster.ts")).serveAsWorker();
  const config = readConfigAloud();
  const workers = requireWorkers(options.workers ?? config.workers, config);
  const starting = start(config, workers);
  if (config.isRunByNpm) endWithParent();
  const greeting = starting.then((running) => greet(running, config, options.demo ?? false));
  const stopped = stopOnSignal(starting, greeting);
  const running = await starting.catch((error: unknown) => {
    throw explainStart(error, config);
  });
  try {
    await greeting;
  } catch (error) {
    await running.stop();
    throw error;
  }
  try {
    await Promise.race([stopped, running.failed]);
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** While it runs, commands find out where. Before it stops they no longer do: by then another may take its place. */
async function start(config: Config, workers: number): Promise<RunningServer> {
  // Only what is needed is loaded.
  const running =
    workers > 1
      ? await (await import("../cluster.ts")).startCluster(config, workers)
      : await (await import("../app.ts")).startServer(config);
  const origin = originOf({ ...config, port: config.port || Number(new URL(running.address).port) });
  const forget = writeServerAddress(config, { origin, site: config.publicUrl ?? origin });
  const stop = () => {
    forget();
    return running.stop();
  };
  return { ...running, stop };
}

/** Only once the port is ours: keys, links and tokens are shown this once, and must not be made for a start that fails. */
async function greet(running: RunningServer, config: Config, isDemo: boolean): Promise<void> {
  const { store } = running;
  const demo = isDemo ? await prepareDemo(store, config) : undefined;
  if (config.admin !== undefined) {
    const made = await makeOwnerOfSettings(store, config.admin);
    if (made !== undefined) note(`Made the first owner, ${made.user.email}, of ${made.organization.name}.`);
  }
  const offered = await offerSetUp(store, config.dataDir);
  const sampleOwner = isDemo && demo === undefined ? await findUserRow(store.operator, SAMPLE_OWNER_EMAIL) : undefined;
  const site = config.publicUrl ?? running.address;
  printBanner(running, config, site);
  if (offered !== undefined) printSetUp(site, offered);
  if (sampleOwner !== undefined) print(`\nFor a link that signs you in:\n  npx lineup user link ${sampleOwner.email}`);
  if (demo === undefined) await printHowToMakeKey(store);
  else printDemo(running.address, site, demo);
  if (offered !== undefined) await announceSetUp(running.log, `${site}/setup`, config.dataDir, offered);
}

function printSetUp(site: string, { file }: OfferedSetUp): void {
  const place = file === undefined ? "the last line of the log" : `the last line of the log, and in ${file}`;
  print(`\nNobody has an account yet. The first owner is made at ${site}/setup with the token that is ${place};`);
  print("or with:\n  npx lineup user create --email EMAIL");
}

/**
 * npm runs a command through a shell, and when npm is told to stop, the shell ends without passing it on. The server would
 * live on unseen and keep its folder locked; so losing the parent counts as being told.
 */
function endWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_FOR_PARENT_EVERY_MS);
  timer.unref();
}

/**
 * Settles when the server has stopped because it was told to; a second signal ends the process there and then. Anyone who is being greeted is
 * greeted first: that writes to the store, which is closed after it.
 */
async function stopOnSignal(starting: Promise<RunningServer>, greeting: Promise<void>): Promise<void> {
  const greeted = greeting.catch(() => undefined);
  let firstAt: number | undefined;
  await new Promise<void>((resolve, reject) => {
    const onSignal = (signal: NodeJS.Signals) => {
      const now = performance.now();
      if (firstAt !== undefined) {
        if (now - firstAt < SAME_SIGNAL_MS) return;
        note(`Stopped at once by a second ${signal}.`);
        process.exit(1);
      }
      firstAt = now;
      if (process.stderr.isTTY)
        note("\nStopping; what is under way is finished first. Press Ctrl-C again to stop at once.");
      starting.then((running) => greeted.then(() => running.stop())).then(resolve, reject);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    // The terminal was closed.
    process.on("SIGHUP", onSignal);
    // A server that does not start needs no stopping; `serve` reports why.
    starting.catch(() => resolve());
  });
}

function printBanner(running: RunningServer, config: Config, site: string): void {
  print(`\n${paint("bold", `Lineup ${manifest.version} is running.`)}\n`);
  printPairs([
    ["Dashboard", site],
    ["API", running.address + BASE_PATH],
    ["Documentation", `${running.address}/docs`],
    ["Data", describeStore(config)],
  ]);
  if (process.stdout.isTTY) print("\nPress Ctrl-C to stop.");
}

function printDemo(address: string, site: string, demo: Demo): void {
  print(
    `\nA sample organization is there to try things on: ${demo.organization.name}, tier ${demo.organization.tier}.`,
  );
  if (demo.signInToken !== undefined) {
    const link = linkUrl(site, demo.signInToken);
    print(`This link signs you into its dashboard, once:\n\n  ${paint("green", link)}\n`);
  }
  print(`This key may do everything in it, and is shown this once:\n\n  ${paint("green", demo.key)}\n`);
  print(`Try it:\n  ${curlLine(address + BASE_PATH, "/players", demo.key)}\n`);
}

async function printHowToMakeKey(store: Store): Promise<void> {
  const organizations = await store.operator
    .selectFrom("organizations")
    .select("name")
    .orderBy("id")
    .limit(2)
    .execute();
  const [only] = organizations;
  if (only === undefined) {
    print("\nThere is no organization yet. To make one:\n  npx lineup org create --name NAME\n");
    return;
  }
  const ref = organizations.length === 1 ? shellWord(only.name) : "ORG";
  print(`\nTo make a key:\n  npx lineup key create --org ${ref} --name "My integration" --permission players:read\n`);
  if (organizations.length > 1) print('"npx lineup org list" shows the organizations.\n');
}

/** What the network refuses becomes what the operator can do about it. */
function explainStart(error: unknown, config: Config): unknown {
  const code = codeOf(error);
  const place = `${config.host}, port ${config.port}`;
  if (code === "EADDRINUSE") {
    return new CommandError(`Another program listens on ${place}. Stop it, or choose another port with LINEUP_PORT.`);
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new CommandError(`This machine has no address ${config.host}. Set LINEUP_HOST to one it has.`);
  }
  if (code === "EACCES" && config.port < 1_024) {
    return new CommandError(`This user may not listen on ${place}. Choose a port from 1024 on with LINEUP_PORT.`);
  }
  if (code.startsWith("ERR_OSSL") || code.startsWith("ERR_SSL") || code.startsWith("ERR_TLS")) {
    return new CommandError(
      `The certificate cannot be used (${reasonOf(error)}). LINEUP_TLS_CERT and LINEUP_TLS_KEY must be PEM files that belong together.`,
    );
  }
  return error;
}
