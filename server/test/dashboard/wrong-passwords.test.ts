import { afterAll, beforeAll, expect, it } from "vitest";
import { PasswordHashing } from "../../src/identity/password-hashing.ts";
import { insertUser } from "../../src/identity/users.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { Visitor } from "./visitor.ts";

const EMAIL = "guessed-at@example.com";
const PASSWORD = "correct horse battery";
const ALLOWED = 100;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { trustedProxies: ["127.0.0.1"] } });
  const passwordHash = await new PasswordHashing().hash(PASSWORD);
  await server.store.writePeople(TEST_ORIGIN, (operator) =>
    insertUser(operator, { name: "Guessed At", email: EMAIL, passwordHash }, Date.now()),
  );
});
afterAll(() => server?.stop());

/** As the proxy in front sends it on: the client's address is what it says. */
function signIn(visitor: Visitor, address: string, password: string) {
  const headers = {
    origin: server.origin.replace("http:", "https:"),
    "x-forwarded-for": address,
    "x-forwarded-proto": "https",
  };
  return visitor.try("signIn", { body: { email: EMAIL, password } }, { headers });
}

it("stops wrong passwords at the latest with the 101st in an hour, whatever address each comes from, and never the owner's own browser", async () => {
  const owner = new Visitor(server);
  expect(await signIn(owner, "203.0.113.1", PASSWORD)).toMatchObject({ status: 200, body: { outcome: "signed-in" } });
  expect([...owner.cookies.keys()].toSorted()).toEqual(["__Host-lineup.device", "__Host-lineup.session_token"]);

  const codes: (string | undefined)[] = [];
  let last = "";
  for (let number = 0; number <= ALLOWED; number++) {
    const reply = await signIn(new Visitor(server), `198.51.${number}.7`, `wrong password ${number}`);
    codes.push(reply.code);
    if (reply.code === "TOO_MANY_TRIES") {
      expect(reply.status).toBe(429);
      last = reply.body.error.message;
    }
  }
  const looked = codes.indexOf("TOO_MANY_TRIES");
  expect(looked).toBeGreaterThan(0);
  expect(looked).toBeLessThanOrEqual(ALLOWED);
  expect(codes.slice(0, looked).every((code) => code === "WRONG_CREDENTIALS")).toBe(true);
  expect(codes.slice(looked).every((code) => code === "TOO_MANY_TRIES")).toBe(true);
  expect(last).toMatch(/Try again in \d+ minutes, or from a device on which you have signed in before\.$/);

  const stranger = await signIn(new Visitor(server), "192.0.2.55", PASSWORD);
  expect([stranger.status, stranger.code]).toEqual([429, "TOO_MANY_TRIES"]);

  owner.cookies.delete("__Host-lineup.session_token");
  expect(await signIn(owner, "203.0.113.1", PASSWORD)).toMatchObject({ status: 200, body: { outcome: "signed-in" } });

  // With as many copies of its cookie as one likes, there are still no more than a hundred in all.
  const copies: (string | undefined)[] = [];
  for (let number = 0; number <= ALLOWED - looked; number++) {
    const copy = new Visitor(server);
    copy.cookies.set("__Host-lineup.device", owner.cookies.get("__Host-lineup.device") ?? "");
    copies.push((await signIn(copy, `198.51.${number}.8`, "still not the password")).code);
  }
  expect(copies.at(-1)).toBe("TOO_MANY_TRIES");
  expect(looked + copies.filter((code) => code === "WRONG_CREDENTIALS").length).toBeLessThanOrEqual(ALLOWED);
});
