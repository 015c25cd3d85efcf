/** What the SDK's README and its folder of examples give to copy does what they say, in a process of its own. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { Player } from "../../../sdk/src/record-types.ts";
import { revokeKey } from "../../src/access/key-admin.ts";
import { makeWebhookSecret } from "../../src/events/webhook-secret.ts";
import { findTypeFaults } from "../code-to-copy.ts";
import { blocksOf, ROOT, readDocument } from "../docs-tables.ts";
import { findFreePort } from "../services/free-port.ts";
import { takeEach } from "../take-each.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { startTestServer } from "../test-server.ts";
import { answerWith as answer, Receiver } from "../webhooks/receiver.ts";
import { addWebhook, startSendingServer } from "../webhooks/webhook-world.ts";
import { answerWith, ClientRelay, cutOff } from "./client-relay.ts";
import { addPlayers, addTeam, makeCaller, openWorld } from "./client-world.ts";

const README = readDocument("sdk/README.md").text;
const CLIENT = pathToFileURL(join(ROOT, "sdk/src/index.ts")).href;

interface RunningProgram {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  printed(): string;
}

/** A folder in which a program can be started again and finds what it has left. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lineup-examples-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** `spots` are what has to be otherwise here: each must be there once. */
async function start(
  folder: string,
  code: string,
  variables: Readonly<Record<string, string>>,
  spots: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  let program = code;
  for (const [spot, replacement] of Object.entries({ '"@lineup/client"': JSON.stringify(CLIENT), ...spots })) {
    expect(program.split(spot)).toHaveLength(2);
    program = program.replace(spot, replacement);
  }
  const file = join(folder, "program.mjs");
  await writeFile(file, program);
  const child = spawn(process.execPath, [file], { cwd: folder, env: variables, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (printed += String(piece)));
  return { process: child, printed: () => printed };
}

const readExample = (name: string) => readFileSync(join(ROOT, "sdk/examples", name), "utf8");

it("the TypeScript of the README compiles under the strictest rules", async () => {
  const modules = blocksOf(README, "ts").map((code, index) => [`block-${index}`, code] as const);
  expect(modules.length).toBeGreaterThan(4);
  expect(await findTypeFaults(Object.fromEntries(modules))).toBe("");
});

it("fifteen lines mirror 10,000 players in three requests, through faults, a restart and a kill, until the key is revoked", async () => {
  const first = await startTestServer();
  const { dataDir } = first;
  const port = Number(new URL(first.origin).port);
  let second: typeof first | undefined;
  onTestFinished(async () => {
    await second?.running.stop();
    await first.stop();
  });
  const relay = await ClientRelay.start(first.origin);
  onTestFinished(() => relay.stop());
  const world = { server: first, relay };
  const { lineup, key, keyId, orgId } = await makeCaller(world);
  await addPlayers(world, orgId, 10_000);
  const [program = ""] = blocksOf(README, "js");
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(15);
  const spots = {
    '"https://lineup.example.com"': JSON.stringify(relay.origin),
    "from: mirror.cursor": "from: mirror.cursor, pauseMs: 50",
  };
  const folder = await makeFolder();
  const read = () => {
    const file = join(folder, "mirror.json");
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { players: Player[] }).players : [];
  };

  const mirror = await start(folder, program, { LINEUP_KEY: key }, spots);
  await expect.poll(() => read().length).toBe(10_000);
  expect(relay.takeRequests().slice(0, 3)).toEqual([
    "GET /api/public/v1/changes?limit=500",
    "GET /api/public/v1/players",
    expect.stringMatching(/^GET \/api\/public\/v1\/changes\?cursor=\w+&limit=500$/),
  ]);
  expect(read()).toEqual(await lineup.players.list().toArray());

  relay.faults.push(answerWith(429), cutOff, answerWith(429, { "Retry-After": "1" }), answerWith(502));
  await lineup.players.create({ ign: "Vex", role: "Player" });
  await expect.poll(() => read().at(-1)?.ign).toBe("Vex");

  await first.running.stop();
  relay.takeRequests();
  await expect.poll(() => relay.requests.length).toBeGreaterThan(0);
  second = await startTestServer({ dataDir, config: { port } });
  await lineup.players.create({ ign: "Nyx", role: "Player" });
  await expect.poll(() => read().at(-1)?.ign).toBe("Nyx");

  mirror.process.kill("SIGKILL");
  await once(mirror.process, "exit");
  await lineup.players.create({ ign: "Ash", role: "Player" });
  relay.takeRequests();
  const again = await start(folder, program, { LINEUP_KEY: key }, spots);
  await expect.poll(() => read().at(-1)?.ign).toBe("Ash");
  expect(relay.takeRequests().slice(0, 2)).toEqual([
    expect.stringMatching(/\/changes\?cursor=/),
    "GET /api/public/v1/players",
  ]);

  const ended = once(again.process, "close");
  await revokeKey(second.store, keyId, TEST_ORIGIN);
  expect(await ended).toEqual([1, null]);
  expect(again.printed()).toMatch(/KeyError: .*revoked/);
  expect(again.printed()).not.toContain(key.slice(12));
});

it("the mirror in SQLite holds what the key may read, and follows", async () => {
  const world = await openWorld();
  const { lineup, key, keyId } = await makeCaller(world, {
    permissions: ["players:read", "players:write", "teams:read"],
  });
  const { id } = await lineup.players.create({ ign: "Vex", role: "Player" });
  const folder = await makeFolder();
  const variables = { LINEUP_URL: world.relay.origin, LINEUP_KEY: key };
  const mirror = await start(folder, readExample("mirror-into-sqlite.mjs"), variables, {
    "follow({ from })": "follow({ from, pauseMs: 50 })",
  });
  const read = () => {
    const db = new DatabaseSync(join(folder, "mirror.db"), { readOnly: true });
    const rows = db.prepare("SELECT kind, json_extract(json, '$.ign') AS ign FROM records ORDER BY id").all();
    db.close();
    return rows.map(({ kind, ign }) => `${kind} ${ign}`);
  };
  await expect.poll(mirror.printed).toContain("player 1, team 0\n");
  expect(read()).toEqual(["player Vex"]);
  await lineup.players.update(id, { ign: "Vexx" });
  await lineup.players.create({ ign: "Nyx", role: "Player" });
  await expect.poll(read).toEqual(["player Vexx", "player Nyx"]);
  await lineup.players.update(id, { ign: "Ash" });
  await expect.poll(read).toEqual(["player Ash", "player Nyx"]);
  const onDisk = () => ["mirror.db", "mirror.db-wal"].map((name) => readFileSync(join(folder, name), "latin1"));
  await expect.poll(() => onDisk().some((bytes) => bytes.includes("Vexx"))).toBe(false);
  const ended = once(mirror.process, "close");
  await revokeKey(world.server.store, keyId, TEST_ORIGIN);
  expect(await ended).toEqual([1, null]);
  expect(mirror.printed()).toContain("KEY_REVOKED");
});

it("Discord hears of who joins a team until it has taken it, once, and of nothing that is not signed", async () => {
  const server = await startSendingServer();
  onTestFinished(() => server.stop());
  const relay = await ClientRelay.start(server.origin);
  onTestFinished(() => relay.stop());
  const { lineup, key, orgId } = await makeCaller({ server, relay });
  const posts: unknown[] = [];
  const discord = createServer(
    takeEach(async (request, response) => {
      posts.push(JSON.parse(await text(request)));
      response.writeHead(posts.length === 1 ? 503 : 204).end();
    }),
  );
  discord.listen(0, "127.0.0.1");
  await once(discord, "listening");
  onTestFinished(() => void discord.close());
  // Stands before the example, as the proxy with the certificate does, and sends each message twice.
  const proxy = await Receiver.start(answer(503));
  onTestFinished(() => proxy.stop());
  const { secret } = await addWebhook({ server, orgId, key }, proxy.url);
  const bot = await start(await makeFolder(), readExample("announce-on-discord.mjs"), {
    LINEUP_URL: server.origin,
    LINEUP_KEY: key,
    LINEUP_WEBHOOK_SECRET: secret,
    DISCORD_URL: `http://127.0.0.1:${(discord.address() as AddressInfo).port}/`,
    PORT: "0",
  });
  await expect.poll(bot.printed).toMatch(/port \d+\n/);
  const address = `http://127.0.0.1:${/port (\d+)/.exec(bot.printed())?.[1]}/`;
  const statuses: number[] = [];
  proxy.answering = async (_request, response, { headers, body }) => {
    for (let count = 0; count < 2; count++) {
      const sent = { "webhook-id": "", "webhook-timestamp": "", "webhook-signature": "" };
      for (const name of Object.keys(sent) as (keyof typeof sent)[]) sent[name] = headers[name] ?? "";
      statuses.push((await fetch(address, { method: "POST", headers: sent, body })).status);
    }
    response.writeHead(204).end();
  };
  const teamId = await addTeam(server, orgId);
  const { id: playerId } = await lineup.players.create({ ign: "@everyone", role: "Mid", teamId });
  await expect.poll(() => posts).toHaveLength(2);
  const post = { content: "@everyone joins Northlight as Mid.", allowed_mentions: { parse: [] } };
  expect(posts).toEqual([post, post]);
  // Another role in the same team is a new entry, and nobody joins.
  const told = statuses.length;
  await lineup.players.update(playerId, { role: "Top" });
  await expect.poll(() => statuses.length).toBeGreaterThan(told + 1);
  expect(posts).toHaveLength(2);
  const forged = {
    "webhook-id": "change_1",
    "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
    "webhook-signature": "v1,AAAA",
  };
  expect((await fetch(address, { method: "POST", headers: forged, body: "{}" })).status).toBe(400);
  await expect.poll(() => statuses.length).toBeGreaterThan(2);
  expect(statuses.filter((status) => status !== 204)).toEqual([500]);
  expect(posts).toHaveLength(2);
});

const RECEIVERS = [README, readDocument("server/src/http/guides/receive-webhooks.md").text].flatMap((document) =>
  blocksOf(document, "ts").filter((code) => code.includes("verifyWebhook")),
);

it("nobody ends a receiver of webhooks by breaking a message off", async () => {
  const spots = RECEIVERS.map((code) => [code, "listen(8080)"] as const);
  expect(spots).toHaveLength(2);
  for (const [code, spot] of [
    ...spots,
    [readExample("announce-on-discord.mjs"), "process.env.PORT ?? 8080"] as const,
  ]) {
    const port = await findFreePort();
    const variables = { LINEUP_KEY: "lineup_live_none", LINEUP_WEBHOOK_SECRET: makeWebhookSecret() };
    const receiver = await start(await makeFolder(), code, variables, { [spot]: spot.replace("8080", String(port)) });
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" }).then(
        ({ status }) => status,
        () => "away",
      );
    await expect.poll(ask).toBe(400);
    const broken = connect(port, "127.0.0.1");
    broken.write("POST / HTTP/1.1\r\nHost: hooks\r\nContent-Length: 9\r\n\r\n{", () => broken.destroy());
    await once(broken, "close");
    for (let count = 0; count < 3; count++) expect(await ask(), receiver.printed()).toBe(400);
  }
});

it("the roster as CSV has a line for each entry, and no formula", async () => {
  const world = await openWorld();
  const { lineup, key, orgId } = await makeCaller(world);
  const teamId = await addTeam(world.server, orgId);
  const joinDate = Date.UTC(2026, 0, 31);
  await lineup.players.create({ ign: "=1+1", realName: 'Eva "E", Berg', role: "Mid", teamId, joinDate });
  const variables = { LINEUP_URL: world.relay.origin, LINEUP_KEY: key };
  const csv = await start(await makeFolder(), readExample("roster-as-csv.mjs"), variables);
  await once(csv.process, "close");
  expect(csv.printed()).toBe(
    "teamName,game,role,ign,realName,isStarter,isCaptain,status,joinedAt\n" +
      `Northlight,LoL,Mid,'=1+1,"Eva ""E"", Berg",true,false,active,2026-01-31\n`,
  );
});
