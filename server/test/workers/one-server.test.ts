/** Three workers, looked at from outside: nothing tells them from one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { putMember } from "../../src/identity/members.ts";
import { PasswordDesk } from "../../src/identity/password-desk.ts";
import { STRANGER_TRIES } from "../../src/identity/sign-in.ts";
import { insertUser } from "../../src/identity/users.ts";
import { Visitor } from "../dashboard/visitor.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { ENGINE } from "../test-store.ts";
import {
  Caller,
  makeCallers,
  makeDataDir,
  makeKey,
  makeOrg,
  removeDataDir,
  startServe,
  sumOf,
  type WorkerServer,
} from "./worker-server.ts";

let dataDir: string;
let server: WorkerServer;
let callers: Caller[];
beforeAll(async () => {
  dataDir = await makeDataDir();
  server = await startServe(["--workers", "3"], dataDir, { LINEUP_TRUST_PROXY: "127.0.0.1" });
  callers = makeCallers(server);
});
afterAll(async () => {
  for (const caller of callers ?? []) caller.close();
  await server?.stop();
  await removeDataDir(dataDir);
});

describe("three workers", () => {
  test("admit of a burst over many connections exactly what the minute allows, and say what is left", async () => {
    const { key } = await makeKey(server, await makeOrg(server, "Basic"));
    const before = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => callers[index % callers.length]?.call(key, "GET", "/teams")),
    );
    const admitted = answers.filter((answer) => answer?.status === 200);
    expect(admitted.length).toBe(60);
    expect(answers.filter((answer) => answer?.status === 429).length).toBe(240);
    const left = admitted.map((answer) => Number(answer?.headers["x-ratelimit-remaining"])).toSorted((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: 60 }, (_, index) => index));
    const resets = new Set(answers.map((answer) => Number(answer?.headers["x-ratelimit-reset"])));
    // The first of them leaves the minute at one moment, which rounds up to one second, whoever is asked.
    const first = Math.min(...resets);
    expect([...resets].every((reset) => reset <= first + 1)).toBe(true);
    expect(first * 1_000).toBeGreaterThanOrEqual(before + 60_000);
    expect(first * 1_000).toBeLessThanOrEqual(Date.now() + 61_000);
  });

  test("show every write to the very next read on any connection, and make ids that only ever increase", async () => {
    const orgId = await makeOrg(server, "Enterprise");
    const keys = await Promise.all(callers.map(async () => (await makeKey(server, orgId)).key));
    const reader = (index: number) => callers[index % callers.length] as Caller;
    const [key = ""] = keys;
    const made = await reader(0).call(key, "POST", "/prospects", { ign: "first", role: "Top", game: "LoL" });
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    let lastId = id;
    // Half of the time beside others, who are written for with it.
    const goRounds = async (from: number, to: number) => {
      for (let round = from; round < to; round++) {
        const ign = `round ${round}`;
        const written = await reader(round).call(keys[round % keys.length] ?? "", "PATCH", `/prospects/${id}`, { ign });
        expect(written.status).toBe(200);
        const looks = await Promise.all(
          callers.map((caller, index) => caller.call(keys[index] ?? "", "GET", "/prospects?limit=1")),
        );
        expect(looks.map((look) => look.body.data[0].ign)).toEqual(looks.map(() => ign));
        const created = await reader(round + 1).call(keys[round % keys.length] ?? "", "POST", "/prospects", {
          ign: `made ${round}`,
          role: "Top",
          game: "LoL",
        });
        expect(created.body.data.id > lastId).toBe(true);
        lastId = created.body.data.id;
      }
    };
    await goRounds(0, 75);
    await whileOthersWrite(() => goRounds(75, 150));
  });

  test("take writes of all connections at once, each in its own name, and refuse in the same words as one", async () => {
    const orgId = await makeOrg(server, "Enterprise");
    const keys = await Promise.all(callers.map(() => makeKey(server, orgId)));
    const made = await Promise.all(
      Array.from({ length: 120 }, async (_, index) => {
        const at = index % callers.length;
        const body = { ign: `player ${index}`, role: "Player", externalIds: { file: `${index}` } };
        const answer = await (callers[at] as Caller).call(keys[at]?.key ?? "", "POST", "/players", body);
        return { index, keyId: keys[at]?.id, answer };
      }),
    );
    const entries = await server.store.readAuditAtOnce((db) =>
      db
        .selectFrom("audit")
        .select(["target_id", "request_id", "actor_id", "target_name"])
        .where("org_id", "=", orgId)
        .where("action", "=", "player.created")
        .execute(),
    );
    expect(entries.length).toBe(made.length);
    for (const { index, keyId, answer } of made) {
      expect(answer.status).toBe(201);
      const { id, ign } = answer.body.data;
      expect(ign).toBe(`player ${index}`);
      expect(answer.headers.location).toMatch(new RegExp(`/players/${id}$`));
      expect(entries.find((entry) => entry.target_id === id)).toEqual({
        target_id: id,
        request_id: answer.headers["x-request-id"],
        actor_id: keyId,
        target_name: ign,
      });
    }
    const id: string = made[0]?.answer.body.data.id;
    const twice = { ign: "again", role: "Player", teamId: `team_${id.slice(7)}`, externalIds: { file: "7" } };
    const refusals = [
      [
        "PATCH",
        `/players/${id}`,
        { role: "Jungle" },
        400,
        "INVALID_ROLE",
        /^The role is not a role of a player/,
        ["role"],
      ],
      ["PATCH", `/players/${id.slice(0, -3)}zzz`, { ign: "none" }, 404, "NOT_FOUND", /^No player has this id/, []],
      ["POST", "/players", twice, 400, "VALIDATION_ERROR", /^The body has 2 faults/, ["teamId", "externalIds.file"]],
    ] as const;
    const before = await countWrittenForWorkers();
    await whileOthersWrite(async () => {
      for (const [method, path, body, status, code, message, fields] of refusals) {
        const answers = await Promise.all(
          callers.map((caller, at) => caller.call(keys[at]?.key ?? "", method, path, body)),
        );
        for (const answer of answers) {
          expect([answer.status, answer.body.error.code]).toEqual([status, code]);
          expect(answer.body.error.message).toMatch(message);
          const details: { field: string; message: string }[] = answer.body.error.details ?? [];
          expect(details.map(({ field }) => field)).toEqual(fields);
          expect(details.every((detail) => detail.message.length > 0)).toBe(true);
        }
      }
    });
    const madeForThem = (await countWrittenForWorkers()) - before;
    if (ENGINE === "postgres") expect(madeForThem).toBe(0);
    else expect(madeForThem).toBeGreaterThan(callers.length);
  });

  test("all refuse a key from the moment at which its revocation was answered", async () => {
    const orgId = await makeOrg(server, "Enterprise");
    const owner = await signInOwner(orgId);
    for (let round = 0; round < 12; round++) {
      const { id: keyId, key, name } = await makeKey(server, orgId);
      const before = await Promise.all(callers.map((caller) => caller.call(key, "GET", "/teams")));
      expect(before.map(({ status }) => status)).toEqual(callers.map(() => 200));
      await owner.do("revokeKey", { path: { orgId, keyId }, body: { name } });
      // No more than the address's own window has room for.
      const some = Array.from({ length: 4 }, (_, index) => callers[(round * 5 + index) % callers.length] as Caller);
      const after = await Promise.all(some.map((caller) => caller.call(key, "GET", "/teams")));
      expect(after.map(({ body }) => body.error?.code)).toEqual(some.map(() => "KEY_REVOKED"));
    }
  });

  test("find a request by its id right after it was answered, whichever of them answered it", async () => {
    const orgId = await makeOrg(server, "Enterprise");
    const owner = await signInOwner(orgId);
    const { key } = await makeKey(server, orgId);
    for (const caller of callers.slice(0, 12)) {
      const { headers } = await caller.call(key, "GET", "/teams");
      const id = String(headers["x-request-id"]);
      const found = await owner.do("listRequests", { path: { orgId }, query: { id } });
      expect(found.requests.map((one) => one.id)).toEqual([id]);
    }
  });

  test("look together at no more wrong passwords than one would", async () => {
    const email = "guessed-at@example.com";
    const passwordHash = await new PasswordDesk().hash("correct horse battery");
    await server.store.writePeople(TEST_ORIGIN, (operator) =>
      insertUser(operator, { name: "Guessed At", email, passwordHash }, Date.now()),
    );
    const codes: (string | undefined)[] = [];
    let tries = 0;
    const guess = async () => {
      while (tries < STRANGER_TRIES + 20) {
        const number = tries++;
        const headers = {
          origin: server.origin.replace("http:", "https:"),
          "x-forwarded-for": `198.51.100.${number}`,
          "x-forwarded-proto": "https",
          connection: "close",
        };
        const body = { email, password: `wrong password ${number}` };
        codes.push((await new Visitor(server).try("signIn", { body }, { headers })).code);
      }
    };
    await Promise.all(Array.from({ length: 8 }, guess));
    expect(codes.filter((code) => code === "WRONG_CREDENTIALS").length).toBe(STRANGER_TRIES);
    expect(codes.filter((code) => code === "TOO_MANY_TRIES").length).toBe(20);
  });

  test("add up in their metrics to all that was asked, whoever is asked for them", async () => {
    for (const caller of callers.slice(0, 6)) {
      const metrics = await caller.readText("/metrics");
      expect(sumOf(metrics, "lineup_requests_total", /route="(GET|POST|PATCH) \/(?!internal)/)).toBe(Caller.sent);
      expect(sumOf(metrics, "lineup_request_duration_seconds_count", /route="(GET|POST|PATCH) \/(?!internal)/)).toBe(
        Caller.sent,
      );
      expect(sumOf(metrics, "lineup_workers")).toBe(3);
      expect(sumOf(metrics, "lineup_workers_replaced_total")).toBe(0);
      expect(metrics.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
      expect(metrics.match(/^# TYPE lineup_requests_total /gm)).toHaveLength(1);
    }
  });

  test("leave whole lines in the log, one for each request, and stop as one", async () => {
    const [first] = callers;
    expect(await first?.readText("/readyz")).toBe('{"status":"ready"}');
    expect(await server.stop()).toBe(0);
    const lines = server.log().trimEnd().split("\n");
    const parsed = lines.map((line) => JSON.parse(line) as { msg: string; requestId?: string });
    const requests = parsed.filter(({ msg }) => msg === "request");
    expect(requests.length).toBe(Caller.sent);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(Caller.sent);
    for (const once of ["listening", "stopping", "stopped"]) {
      expect(parsed.filter(({ msg }) => msg === once).length).toBe(1);
    }
  });
});

async function countWrittenForWorkers(): Promise<number> {
  return sumOf(await (callers[0] as Caller).readText("/metrics"), "lineup_worker_writes_total");
}

const OTHERS = 6;
/** Of one other's key; the minute allows more. */
const WRITES_MAX = 250;

/** Others write to an organization of their own, over connections of their own, until the work is done. */
async function whileOthersWrite(work: () => Promise<void>): Promise<void> {
  const orgId = await makeOrg(server, "Enterprise");
  let isOver = false;
  const write = async () => {
    const { key } = await makeKey(server, orgId);
    const caller = new Caller(server.origin);
    let number = 0;
    for (; !isOver && number < WRITES_MAX; number++) {
      const { status } = await caller.call(key, "POST", "/prospects", { ign: `other ${number}` });
      expect(status).toBe(201);
    }
    caller.close();
  };
  const others = Array.from({ length: OTHERS }, write);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(others);
  }
}

async function signInOwner(orgId: string): Promise<Visitor> {
  const user = await server.store.writePeople(TEST_ORIGIN, async (operator, recording) => {
    const email = `owner-of-${orgId.toLowerCase()}@example.com`;
    const made = await insertUser(operator, { name: "Owner", email }, Date.now());
    await putMember(operator, recording, { orgId, user: made, role: "owner" }, Date.now());
    return made;
  });
  return new Visitor(server).signInAs(user.id);
}
