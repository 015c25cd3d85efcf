/** Who has tried too often is told when to come back: then they are let in, and not sooner. */
import { ADDRESS_LIMIT_PER_MINUTE, HOUR_MS, MINUTE_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PasswordHashing } from "../../src/identity/password-hashing.ts";
import { takeTry } from "../../src/identity/try-windows.ts";
import { insertUser } from "../../src/identity/users.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, startTestServer, type TestServer } from "../test-server.ts";
import { type ActionReply, Visitor } from "./visitor.ts";

const clock = new ManualClock(Date.now());
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server?.stop());

async function expectTrueWait(ask: () => Promise<ActionReply>, waitMs: number): Promise<void> {
  const refused = await ask();
  expect([refused.status, refused.code]).toEqual([429, "TOO_MANY_TRIES"]);
  expect(refused.headers.get("retry-after")).toBe(String(Math.ceil(waitMs / 1000)));
  clock.advance(waitMs - 1);
  expect((await ask()).status).toBe(429);
  clock.advance(1);
  expect((await ask()).code).toBe("WRONG_CREDENTIALS");
}

it("says how long an account has to wait for its oldest try to be an hour old", async () => {
  const passwordHash = await new PasswordHashing().hash("correct horse battery");
  const { id } = await server.store.writePeople(TEST_ORIGIN, (operator) =>
    insertUser(operator, { name: "Ada", email: "ada@example.com", passwordHash }, clock.wallMs()),
  );
  const ada = await new Visitor(server).signInAs(id);
  const session = await server.store.operator
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", id)
    .executeTakeFirstOrThrow();
  const window = { account: `confirm ${session.id}`, limit: 10, windowMs: HOUR_MS };
  const firstAt = clock.wallMs();
  while ((await takeTry(server.store, window, clock.wallMs())) !== undefined) clock.advance(1_234);
  const body = { current: "not the password", password: "another horse battery" };
  await expectTrueWait(() => ada.try("changePassword", { body }), firstAt + HOUR_MS - clock.wallMs());
});

it("says how long an address has to wait for its oldest try to be a minute old", async () => {
  clock.advance(MINUTE_MS);
  const firstAt = clock.wallMs();
  for (let sent = 0; sent < ADDRESS_LIMIT_PER_MINUTE; sent++) {
    expect((await call(server, "GET", "/me")).status).toBe(401);
    clock.advance(123);
  }
  const body = { email: "nobody@example.com", password: "not the password" };
  await expectTrueWait(() => new Visitor(server).try("signIn", { body }), firstAt + MINUTE_MS - clock.wallMs());
});
