/** What the SDK waits for and tries again, what it does not, and where the key goes. */
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { Lineup } from "../../../sdk/src/lineup.ts";
import { ConnectionError, type LineupError, RateLimitError } from "../../../sdk/src/lineup-error.ts";
import { ManualClock } from "../manual-clock.ts";
import { call, makeKey, makeOrg, startTestServer } from "../test-server.ts";
import { answerWith, ClientRelay, cutOff, loseAnswer } from "./client-relay.ts";
import { makeCaller, openWorld } from "./client-world.ts";

describe("a read", () => {
  it("is tried again when connections break and others answer in the server's place", async () => {
    const world = await openWorld();
    const { lineup, retries } = await makeCaller(world);
    world.relay.faults.push(cutOff, answerWith(502), answerWith(429));
    expect(await lineup.players.list().toArray()).toEqual([]);
    expect(retries.map(({ error }) => error.code)).toEqual([
      "CONNECTION_FAILED",
      "UNEXPECTED_ANSWER",
      "RATE_LIMIT_EXCEEDED",
    ]);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    for (const { waitMs, attempt } of retries) expect(waitMs / 2 ** (attempt - 1)).toBeGreaterThanOrEqual(250);
  });

  it("is given up after as many attempts as are allowed, with the reason", async () => {
    const world = await openWorld();
    const { lineup, retries } = await makeCaller(world, { attempts: 2 });
    world.relay.faults.push(cutOff, cutOff, cutOff);
    const failed = lineup.me();
    await expect(failed).rejects.toBeInstanceOf(ConnectionError);
    await expect(failed).rejects.toThrow(/^GET http.*\/me got no answer: .+\.$/);
    expect([retries.length, world.relay.requests.length]).toEqual([1, 2]);
  });

  it("is tried again when a proxy gives half of an answer for the whole", async () => {
    const world = await openWorld();
    const { lineup, retries } = await makeCaller(world);
    const json = { "Content-Type": "application/json; charset=utf-8" };
    world.relay.faults.push(answerWith(200, json, '{"success":true,"data":[{"id":"play'));
    expect(await lineup.players.list().toArray()).toEqual([]);
    expect(retries.map(({ error }) => error.code)).toEqual(["CONNECTION_FAILED"]);
    world.relay.faults.push(answerWith(200, json, '{"hello":"world"}'));
    await expect(lineup.me()).rejects.toMatchObject({ code: "UNEXPECTED_ANSWER" });
  });

  it("is not tried again where something else than Lineup answers", async () => {
    const world = await openWorld();
    const { lineup, retries } = await makeCaller(world);
    world.relay.faults.push(answerWith(200), answerWith(404));
    for (const status of [200, 404]) {
      await expect(lineup.me()).rejects.toMatchObject({ code: "UNEXPECTED_ANSWER", status, message: /baseUrl/ });
    }
    expect(retries).toEqual([]);
  });

  it("ends in time, and at once where its signal says so, also while it waits", async () => {
    const world = await openWorld();
    const { lineup } = await makeCaller(world, { attempts: 1 });
    const ending = new AbortController();
    world.relay.faults.push(() => ending.abort(new Error("enough")));
    await expect(lineup.me({ signal: ending.signal })).rejects.toThrow(/^enough$/);
    await expect(lineup.me({ signal: ending.signal })).rejects.toThrow(/^enough$/);
    const waiting = new AbortController();
    const { lineup: patient } = await makeCaller(world, { onRetry: () => waiting.abort(new Error("no longer")) });
    world.relay.faults.push(answerWith(503, { "Retry-After": "120" }));
    await expect(patient.me({ signal: waiting.signal })).rejects.toThrow(/^no longer$/);
    // Last, for on a busy machine the relay may not have taken this fault by then, or take it later.
    const silence = () => undefined;
    world.relay.faults.push(silence);
    await expect(lineup.me({ timeoutMs: 50 })).rejects.toThrow(/no answer within 0\.05 s/);
  });

  it("has all the time in the world where it is given that", async () => {
    const { lineup } = await makeCaller(await openWorld(), { attempts: 1 });
    expect(await lineup.me({ timeoutMs: Number.POSITIVE_INFINITY })).toHaveProperty("id");
  });

  it("refuses a time and attempts that no call could keep to", async () => {
    const options = { baseUrl: "https://lineup.example.com", key: "lineup_live_1" };
    for (const timeoutMs of [0, -1, Number.NaN]) {
      expect(() => new Lineup({ ...options, timeoutMs })).toThrow(/^timeoutMs must be more than 0/);
      await expect(new Lineup(options).me({ timeoutMs })).rejects.toThrow(/^timeoutMs must be more than 0/);
    }
    for (const attempts of [0, -1, Number.NaN]) {
      expect(() => new Lineup({ ...options, attempts })).toThrow(/^attempts must be 1 or more/);
    }
  });

  it("outlasts a restart of the server", async () => {
    const first = await startTestServer();
    const { dataDir } = first;
    const port = Number(new URL(first.origin).port);
    const orgId = await makeOrg(first);
    const { key } = await makeKey(first, orgId);
    await call(first, "POST", "/players", { key, body: { ign: "Vex", role: "Player" } });
    await first.running.stop();
    let restarted: ReturnType<typeof startTestServer> | undefined;
    onTestFinished(async () => {
      await (await restarted)?.running.stop();
      await first.stop();
    });
    const codes: string[] = [];
    const onRetry = ({ error }: { error: LineupError }) => {
      codes.push(error.code);
      restarted ??= startTestServer({ dataDir, config: { port } });
    };
    const lineup = new Lineup({ baseUrl: first.baseUrl, key, onRetry });
    expect(await lineup.players.list().toArray()).toMatchObject([{ ign: "Vex" }]);
    expect(new Set(codes)).toEqual(new Set(["CONNECTION_FAILED"]));
  });
});

describe("a write", () => {
  it("whose answers are lost is made once", async () => {
    const world = await openWorld();
    const { lineup } = await makeCaller(world);
    world.relay.faults.push(loseAnswer, loseAnswer);
    const made = await lineup.players.create({ ign: "Vex", role: "Player" });
    expect(await lineup.players.list().toArray()).toEqual([made]);
    world.relay.faults.push(loseAnswer);
    expect(await lineup.players.update(made.id, { ign: "Vexx" })).toMatchObject({ ign: "Vexx" });
    const { changes } = await lineup.changes.page({ since: 0 + made.createdAt });
    expect(changes.map(({ type }) => type)).toEqual(["player.created", "player.updated"]);
  });
});

describe("a full window", () => {
  it("of the minute is waited for, by many at once", async () => {
    const clock = new ManualClock();
    const world = await openWorld({ clock });
    const { lineup, retries } = await makeCaller(world, { tier: "Free" });
    for (let count = 0; count < 10; count++) {
      await lineup.me();
      clock.advance(500);
    }
    // The first of them leaves its window in a second, and each half second another.
    clock.advance(54_000);
    const ticking = setInterval(() => clock.advance(100), 100);
    onTestFinished(() => clearInterval(ticking));
    const answers = await Promise.all(Array.from({ length: 4 }, () => lineup.me()));
    expect(answers).toHaveLength(4);
    expect(retries.length).toBeGreaterThanOrEqual(4);
    for (const { error, waitMs } of retries) {
      expect(error).toMatchObject({ window: "minute", retryAfterMs: expect.any(Number) });
      expect(waitMs).toBeGreaterThan(error.retryAfterMs ?? Number.NaN);
    }
  });

  it("is no failure, however often it is met before and after real ones", async () => {
    const world = await openWorld();
    const { lineup, retries } = await makeCaller(world);
    const full = answerWith(429, { "Retry-After": "0", RateLimit: '"minute";r=0;t=1, "day";r=9;t=9' });
    world.relay.faults.push(...Array.from({ length: 8 }, () => full), cutOff, answerWith(503), full);
    expect(await lineup.players.list().toArray()).toEqual([]);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(retries.at(-1)?.waitMs).toBeLessThanOrEqual(500);
    const { lineup: hasty } = await makeCaller(world, { attempts: 2 });
    world.relay.faults.push(full, full);
    await expect(hasty.me()).rejects.toMatchObject({ code: "RATE_LIMIT_EXCEEDED", window: "minute" });
  });

  it("is not waited for longer than five minutes in all", async () => {
    const world = await openWorld();
    const waits: number[] = [];
    const { lineup } = await makeCaller(world, { onRetry: ({ waitMs }) => void waits.push(waitMs) });
    world.relay.faults.push(answerWith(429, { "Retry-After": "1" }), answerWith(429, { "Retry-After": "299" }));
    await expect(lineup.me()).rejects.toMatchObject({ retryAfterMs: 299_000 });
    expect(waits).toHaveLength(1);
  });

  it("of the day is told at once", async () => {
    const clock = new ManualClock();
    const world = await openWorld({ clock });
    const { lineup, retries } = await makeCaller(world, { tier: "Free" });
    for (let minute = 0; minute < 10; minute++) {
      for (let count = 0; count < 10; count++) await lineup.me();
      clock.advance(60_000);
    }
    const told = await lineup.me().catch((error: RateLimitError) => error);
    if (!(told instanceof RateLimitError)) return expect.unreachable("It was answered.");
    expect(told).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", status: 429, window: "day", mayRetry: false });
    expect(told.retryAt?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(retries).toEqual([]);
  });

  it("that asks for hours without a name is not waited for either", async () => {
    const world = await openWorld();
    const { lineup, retries } = await makeCaller(world);
    world.relay.faults.push(answerWith(429, { "Retry-After": "3600" }));
    await expect(lineup.me()).rejects.toMatchObject({ window: undefined, retryAfterMs: 3_600_000 });
    expect(retries).toEqual([]);
  });
});

describe("the key", () => {
  it("does not follow redirects", async () => {
    const world = await openWorld();
    const elsewhere = await ClientRelay.start(world.server.origin);
    onTestFinished(() => elsewhere.stop());
    const { lineup } = await makeCaller(world);
    for (const status of [301, 302, 307, 308]) {
      world.relay.faults.push(answerWith(status, { Location: `${elsewhere.origin}/api/public/v1/me` }));
      await expect(lineup.me()).rejects.toMatchObject({
        code: "UNEXPECTED_ANSWER",
        status,
        message: /make the address/,
      });
    }
    expect(elsewhere.requests).toEqual([]);
  });

  it("is in no error and in nothing that is printed", async () => {
    const world = await openWorld();
    const { lineup, key } = await makeCaller(world, { attempts: 1 });
    const shown = [inspect(lineup, { depth: 9, showHidden: true }), JSON.stringify(lineup)];
    const note = async (failing: Promise<unknown>) => {
      const error = (await failing.catch((one: unknown) => one)) as Error;
      shown.push(inspect(error, { depth: 9, showHidden: true }), `${error.stack}`);
    };
    for (const fault of [cutOff, answerWith(500), answerWith(302, { Location: "/" }), answerWith(429)]) {
      world.relay.faults.push(fault);
      await note(lineup.me());
    }
    await note(lineup.players.get("player_1"));
    // The message of fetch repeats a header that it cannot send.
    for (const wrong of [`${key}\nmore`, `${key}\u{141}`]) {
      await note((async () => new Lineup({ baseUrl: world.relay.origin, key: wrong, attempts: 1 }).me())());
    }
    world.relay.stop();
    await note(lineup.me());
    expect(shown).toHaveLength(18);
    for (const text of shown) expect(text).not.toContain(key.slice(12));
  });

  it("goes over HTTPS, or to this machine", () => {
    const open = (baseUrl: string) => () => new Lineup({ baseUrl, key: "lineup_live_1" });
    for (const ok of [
      "https://lineup.example.com/",
      "http://localhost:3000",
      "http://127.0.0.1",
      "http://[::1]:3000",
    ]) {
      expect(open(ok), ok).not.toThrow();
    }
    for (const open_ of ["http://lineup.example.com", "http://10.0.0.7:3000", "http://localhost.example.com"]) {
      expect(open(open_), open_).toThrow(/is not HTTPS.*Use https/);
    }
    expect(open("lineup.example.com")).toThrow(/is no URL/);
    expect(open("https://me:secret@lineup.example.com")).toThrow(/^(?!.*secret)/);
    expect(() => new Lineup({ baseUrl: "https://lineup.example.com", key: "" })).toThrow(/There is no key/);
  });

  it("may end in a line break, as files do, and the address in the prefix", async () => {
    const world = await openWorld();
    const { key } = await makeCaller(world);
    for (const baseUrl of [world.server.baseUrl, `${world.server.baseUrl}/`, `${world.server.origin}/`]) {
      expect(await new Lineup({ baseUrl, key: `${key}\n` }).me()).toMatchObject({ name: "Test key" });
    }
  });
});
