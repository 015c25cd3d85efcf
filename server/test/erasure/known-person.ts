/** Somebody with every kind of value, changed several times, searched for, and written under Idempotency-Keys; with all that must not be found later. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { insertTeams, makeTeam } from "../contract/seed-records.ts";
import { join as joinOrg, makeUser } from "../dashboard/dashboard-world.ts";
import { Visitor } from "../dashboard/visitor.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, type TestServer } from "../test-server.ts";
import { ENGINE, runSql } from "../test-store.ts";

let people = 0;

/** Each is said of nobody else. */
function words(times: number) {
  const tag = `q${process.pid}x${people}${times === 0 ? "former" : "later"}`;
  return {
    ign: `Ign${tag}`,
    realName: `ZoëWeiß${tag}`,
    imageUrl: `https://example.com/${tag}.png`,
    note: `They said: ${tag}.\nNobody knows.`,
    link: `ext-${tag}`,
    stat: `stat-${tag}`,
    team: `Team ${tag}`,
    tag: `tag-${tag}`,
    source: `source-${tag}`,
  };
}

export interface KnownPerson {
  readonly orgId: string;
  readonly key: string;
  readonly owner: Visitor;
  readonly playerId: string;
  readonly prospectId: string;
  readonly recordIds: readonly string[];
  /** That nothing may hold any more. */
  readonly values: readonly string[];
}

export async function makeKnownPerson(server: TestServer): Promise<KnownPerson> {
  people += 1;
  const orgId = await makeOrg(server);
  const { key, id: keyId } = await makeKey(server, orgId);
  const userId = await makeUser(server, "Ada");
  await joinOrg(server, orgId, userId, "owner");
  const owner = await new Visitor(server).signInAs(userId);
  const teams = [makeTeam({ game: "LoL" }), makeTeam({ game: "LoL" })];
  await server.store.writeOrg(orgId, TEST_ORIGIN, (org) => insertTeams(org, teams));
  const [first, second] = [words(0), words(1)];
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await call(server, method, path, { key, body });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body.data;
  };
  const prospectOf = (one: typeof first) => ({
    ign: one.ign,
    realName: one.realName,
    notes: one.note,
    currentTeam: one.team,
    source: one.source,
    tags: [one.tag],
    externalIds: { scout: `${one.link}-scout` },
  });
  const prospect = await send("POST", "/prospects", prospectOf(first));
  const patched = await send("PATCH", `/prospects/${prospect.id}`, prospectOf(second));
  const player = await owner.do("signProspect", {
    path: { orgId, recordId: prospect.id },
    body: { updatedAt: patched.updatedAt, role: "Mid", teamId: teams[0]?.id },
  });
  const playerId = String((player as { playerId?: unknown }).playerId);
  // A page may end before them.
  const other = await send("POST", "/players", { ign: "Zz", role: "Player" });
  for (const one of [first, second]) {
    const write = (headers: Record<string, string>, body: unknown) =>
      call(server, "PATCH", `/players/${playerId}`, { key, headers, body });
    await write({ "idempotency-key": `name-${one.ign}` }, { ign: one.ign });
    await send("PATCH", `/players/${playerId}`, {
      ign: one.ign,
      realName: one.realName,
      imageUrl: one.imageUrl,
      stats: { motto: one.stat },
      externalIds: { board: one.link },
    });
    const ways = [one.realName, one.realName.normalize("NFD"), one.realName.toUpperCase()];
    for (const asked of [one.ign, ...ways, one.ign.slice(1, 9)]) {
      await send("GET", `/players?search=${encodeURIComponent(asked)}`);
    }
    const page = await call(server, "GET", "/players?limit=1&sort=ign", { key });
    await send("GET", `/players?cursor=${page.body.meta.nextCursor}`);
    await send("GET", `/players?externalId=board:${one.link}`);
    await send("GET", `/prospects?limit=5&externalId=scout:${one.link}-scout`);
    await call(server, "GET", `/players/${one.ign}`, { key });
  }
  const at = Date.now();
  const statement = "INSERT INTO idempotent_writes VALUES (?, ?, ?, ?, ?, ?, ?, NULL)";
  for (const [id, name] of [
    [playerId, second.ign],
    [prospect.id, first.realName],
  ] as const) {
    await runSql(server.dataDir, statement, orgId, keyId, `once-${id}`, "0".repeat(64), id, `{"ign":"${name}"}`, at);
  }
  const now = await owner.do("getPlayer", { path: { orgId, recordId: playerId } });
  await owner.do("movePlayer", {
    path: { orgId, recordId: playerId },
    body: { updatedAt: now.updatedAt, teamId: teams[1]?.id },
  });
  const moved = await owner.do("getPlayer", { path: { orgId, recordId: playerId } });
  // What was undone is gone, but for the audit log.
  await owner.do("undoMove", { path: { orgId, recordId: playerId }, body: { updatedAt: moved.updatedAt } });
  await owner.do("createContract", { path: { orgId }, body: { playerId, startDate: at } });
  const told = await runSql(
    server.dataDir,
    "SELECT DISTINCT target_id FROM audit WHERE org_id = ? AND target_kind IN ('player', 'prospect', 'assignment', 'contract')",
    orgId,
  );
  const values = [first, second].flatMap((one) => Object.values(one)).map((value) => value.split("\n")[0] ?? "");
  return {
    orgId,
    key,
    owner,
    playerId,
    prospectId: prospect.id,
    recordIds: told.map((row) => String(row.target_id)).filter((id) => id !== other.id),
    values,
  };
}

/** As somebody may be deleted who is to be erased only later. */
export async function deletePerson(
  { orgId, owner, playerId, prospectId }: KnownPerson,
  kinds: readonly ("player" | "prospect")[] = ["player", "prospect"],
): Promise<void> {
  for (const kind of kinds) {
    const path = { orgId, recordId: kind === "player" ? playerId : prospectId };
    const { updatedAt } = await owner.do(kind === "player" ? "getPlayer" : "getProspect", { path });
    await owner.do(kind === "player" ? "deletePlayer" : "deleteProspect", { path, body: { updatedAt } });
  }
}

/** All bytes that the store has on the disk, its journals and the request log's blocks unpacked among them; of PostgreSQL, all columns of all tables. */
export async function readAll(dataDir: string): Promise<string> {
  if (ENGINE === "postgres") return readTables(dataDir);
  const files = readdirSync(dataDir).filter((name) => /\.db(-wal)?$/.test(name));
  return files.map((name) => withUnpacked(readFileSync(join(dataDir, name)))).join("\n");
}

async function readTables(dataDir: string): Promise<string> {
  const tables = await runSql(dataDir, "SELECT tablename FROM pg_tables WHERE schemaname = 'lineup'");
  const contents: string[] = [];
  for (const { tablename } of tables) {
    for (const row of await runSql(dataDir, `SELECT * FROM ${tablename}`)) {
      for (const value of Object.values(row)) {
        contents.push(value instanceof Buffer ? inflateSync(value).toString() : JSON.stringify(value));
      }
    }
  }
  return contents.join("\n");
}

/** Wherever a compressed block begins, also one that no row points to any more. */
function withUnpacked(bytes: Buffer): string {
  const unpacked = [bytes.toString("latin1"), bytes.toString("utf8")];
  for (let at = bytes.indexOf(ZLIB); at >= 0; at = bytes.indexOf(ZLIB, at + 1)) {
    try {
      unpacked.push(inflateSync(bytes.subarray(at), { finishFlush: 2 }).toString());
    } catch {
      // It only looked like one.
    }
  }
  return unpacked.join("\n");
}

/** How zlib begins what was compressed at its fastest. */
const ZLIB = Buffer.from([0x78, 0x01]);

export function findLeft(text: string, values: readonly string[]): string[] {
  const folded = [text, ...inCursors(text)].join("\n").toLowerCase();
  const ways = (value: string) => [
    value,
    JSON.stringify(value).slice(1, -1),
    ...[value, value.normalize("NFD"), value.toUpperCase()].map(encodeURIComponent),
  ];
  return values.filter((value) => ways(value).some((way) => folded.includes(way.toLowerCase())));
}

function inCursors(text: string): string[] {
  return [...text.matchAll(/cursor=([\w-]+)/g)].map(([, cursor = ""]) => Buffer.from(cursor, "base64url").toString());
}
