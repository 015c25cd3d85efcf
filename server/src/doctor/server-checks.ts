import { createTransport } from "nodemailer";
import { codeOf, reasonOf } from "../store/store-error.ts";
import { type AskedServer, askLocal, readJson } from "./asked-server.ts";
import {
  checkOf,
  failure,
  type Installation,
  makeCheck,
  ok,
  type Subject,
  skipped,
  splitAdvice,
  warning,
} from "./check.ts";

const START = "npx lineup serve";
const MAIL_STEP_MS = 8_000;

const answers = makeCheck("server", "Server", async (installation) => {
  const { localUrl, isHeld } = installation;
  if (localUrl === undefined) return skipped("Where it listens is not known (LINEUP_PORT is 0, or cannot be used).");
  try {
    const { health } = await installation.read(askLocal);
    if (readJson(health)?.status === "alive") return ok(`answers at ${localUrl}`);
    const todo = "Stop that program, or give Lineup another port with LINEUP_PORT, and restart it.";
    return failure(`What answers at ${localUrl} is not a Lineup server.`, todo);
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    const { dataDir } = installation.config;
    if (isHeld) {
      const found = `A server runs on ${dataDir}, but does not answer at ${localUrl} (${reason}).`;
      return failure(
        found,
        "Run this with the server's own settings (LINEUP_HOST, LINEUP_PORT, LINEUP_TLS_CERT); if they are, look in its log and restart it.",
      );
    }
    const todo = `Start it (${START}), and see in its log why it ended; or correct LINEUP_HOST and LINEUP_PORT.`;
    const found = `No server answers at ${localUrl} (${reason}).`;
    // Before a first start, nobody listening is as it should be; somebody who listens and says nothing never is.
    return (codeOf(error) === "ECONNREFUSED" ? warning : failure)(found, todo);
  }
});

/** Only of what answers as a server of Lineup does. */
async function askLineup(installation: Installation): Promise<AskedServer> {
  const asked = await installation.read(askLocal);
  if (readJson(asked.health)?.status !== "alive") throw new Error("It is none of Lineup's.");
  return asked;
}

const NONE = "No server answers.";
const check = checkOf(askLineup, NONE);

const ready = check("server-ready", "Ready", ({ ready: answer }) => {
  const { status, reason } = readJson(answer) ?? {};
  if (status === "ready") return ok("takes requests, and lacks nothing");
  const found = `The server is ${String(status)}: ${String(reason)}.`;
  if (status === "degraded")
    return warning(found, "Bring that back (the checks above say how to reach it); the server recovers by itself.");
  return failure(
    found,
    "Mend what the checks above and the server's log name; a server that is stopping is to be started again.",
  );
});

const version = check("server-version", "Version", ({ version: served }, { version: own }) => {
  if (served === own) return ok(own);
  return warning(
    `The server runs version ${served ?? "unknown"}, and this command is ${own}.`,
    "Restart the server to run what is installed, or run the command from where the server was installed.",
  );
});

const checkOfFolder = checkOf(askLineup, NONE, ({ config }) =>
  config.databaseUrl === undefined ? undefined : skipped("The store is in PostgreSQL."),
);
const folder = checkOfFolder("server-folder", "Same data folder", (_asked, { config, isHeld, localUrl }) => {
  if (isHeld) return ok("the server works on this data folder");
  return failure(
    `A server answers at ${localUrl}, but none works on ${config.dataDir}.`,
    "Set LINEUP_DATA_DIR to the same folder for the server and for commands; a relative one, as ./data, depends on where each is started.",
  );
});

const pages = check("dashboard", "Dashboard", ({ page }) => {
  if (page.status !== 503) return ok("built");
  const todo =
    "In a clone of Lineup, run node scripts/ensure-built.mjs; otherwise install its package again. Then restart the server.";
  return warning("The dashboard has not been built, so nobody can sign in.", todo);
});

const mail = makeCheck("mail", "Mail", async ({ config: { mail: settings } }) => {
  if (settings === undefined) return skipped("LINEUP_SMTP_URL is not set: links are shown to those who make them.");
  const patience = {
    connectionTimeout: MAIL_STEP_MS,
    greetingTimeout: MAIL_STEP_MS,
    socketTimeout: MAIL_STEP_MS,
    dnsTimeout: MAIL_STEP_MS,
  };
  const transport = createTransport({
    url: settings.smtpUrl,
    ...patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { hostname, port } = new URL(settings.smtpUrl);
  const address = port === "" ? hostname : `${hostname}:${port}`;
  try {
    await transport.verify();
    return ok(`the mail server ${address} lets us in`);
  } catch (error) {
    const reason = splitAdvice(reasonOf(error)).found;
    return failure(
      `The mail server ${address} cannot be used (${reason}).`,
      "Correct host, port, user and password in LINEUP_SMTP_URL (smtps:// for port 465), or let this machine reach it.",
    );
  } finally {
    transport.close();
  }
});

export const SERVER_SUBJECT: Subject = { title: "Server", checks: [answers, ready, version, folder, pages, mail] };
