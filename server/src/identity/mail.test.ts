import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runSql } from "../../test/test-store.ts";
import {
  addMember,
  Browser,
  expectRefusal,
  makeOrganization,
  makeUser,
  openTestPeople,
  readAudit,
  type TestPeople,
} from "../../test/test-visitor.ts";
import { invite } from "./invitations.ts";
import { resetPassword } from "./link-use.ts";
import { Mailer } from "./mailer.ts";
import { makeResetLinkAsOperator, requestPasswordReset } from "./reset-links.ts";
import { signIn } from "./sign-in.ts";
import { originOf } from "./users.ts";

interface Received {
  readonly to: string;
  readonly from: string;
  readonly message: string;
}

const received: Received[] = [];
let post: SMTPServer;
let smtpUrl: string;

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

beforeAll(async () => {
  post = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo({ address }, _session, done) {
      done(address.startsWith("bounce") ? new Error("550 no such mailbox") : null);
    },
    async onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      // Long lines are folded on the way.
      const message = Buffer.concat(chunks).toString("utf8").replaceAll("=\r\n", "").replaceAll("=3D", "=");
      const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      for (const { address } of envelope.rcptTo) received.push({ to: address, from, message });
      done();
    },
  });
  post.listen(0, "127.0.0.1");
  await once(post.server, "listening");
  smtpUrl = `smtp://127.0.0.1:${portOf(post.server)}`;
});
afterAll(() => new Promise<void>((resolve) => post.close(() => resolve())));

let people: TestPeople;
beforeEach(async () => {
  received.length = 0;
  people = await openTestPeople({
    mail: { smtpUrl, from: "lineup@example.com" },
    publicUrl: "https://lineup.example",
  });
});
afterEach(() => people.close());

const linksIn = (message: string) => [...message.matchAll(/https:\/\/lineup\.example\/link#([\w-]{43})/g)];

describe("mail", () => {
  test("brings an invitation, whose link begins with the public address whatever the request says", async () => {
    const orgId = await makeOrganization(people, "Northwind\u2028Esports");
    const owner = await makeUser(people);
    await addMember(people, orgId, owner, "owner");
    const visit = { ...new Browser().visit(), baseUrl: "https://elsewhere.example" };
    const wanted = { orgId, email: "invited@example.com", role: "manager" } as const;
    const made = await invite(people.identity.tools, visit, originOf(owner, visit), wanted);
    expect(made.wasMailed).toBe(true);
    expect(received).toMatchObject([{ to: "invited@example.com", from: "lineup@example.com" }]);
    const [letter] = received;
    expect(letter?.message).toContain("Subject: Join Northwind Esports on Lineup");
    expect(letter?.message).toContain("Content-Type: text/plain");
    expect(linksIn(letter?.message ?? "").map(([, token]) => token)).toEqual([made.link.split("#")[1]]);
  });

  test("brings a person who forgot their password a link that works, three times an hour at most", async () => {
    const user = await makeUser(people);
    const { tools } = people.identity;
    for (let time = 0; time < 5; time++) await requestPasswordReset(tools, new Browser().visit(), user.email);
    await people.identity.close();
    expect(received.map(({ to }) => to)).toEqual([user.email, user.email, user.email]);
    const open = await runSql(people.dataDir, "SELECT id FROM links WHERE used_at IS NULL");
    expect(open).toHaveLength(1);
    const tokens = received.flatMap(({ message }) => linksIn(message).map(([, token]) => token ?? ""));
    const typed = { email: user.email, password: "chosen after the mail" };
    const answers = await Promise.allSettled(
      tokens.map((token) => resetPassword(tools, new Browser().visit(), { token, password: typed.password })),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await signIn(tools, new Browser().visit(), typed)).toMatchObject({ outcome: "signed-in" });
    const told = (await readAudit(people, "installation")).filter(({ action }) => action === "user.reset-link-made");
    expect(told).toHaveLength(3);
  });

  test("voids no link that somebody else has made", async () => {
    const user = await makeUser(people);
    const { tools } = people.identity;
    const visit = new Browser().visit();
    const { link } = await makeResetLinkAsOperator(tools, visit, originOf(user, visit), user.email);
    await requestPasswordReset(tools, visit, user.email);
    await people.identity.close();
    expect(received).toHaveLength(2);
    await resetPassword(tools, visit, { token: link.split("#")[1] ?? "", password: "chosen by its owner" });
  });

  test("goes to nobody who has no account, and the answer is the same", async () => {
    const { tools } = people.identity;
    expect(await requestPasswordReset(tools, new Browser().visit(), "nobody@example.com")).toBeUndefined();
    await people.identity.close();
    expect(received).toEqual([]);
    expect(people.faults).toEqual([]);
  });

  test("that the mail server refuses is told to the log, and the link is shown instead", async () => {
    const user = await makeUser(people, { email: "bounce@example.com" });
    const visit = new Browser().visit();
    const made = await makeResetLinkAsOperator(people.identity.tools, visit, originOf(user, visit), user.email);
    expect(made).toMatchObject({ wasMailed: false, link: expect.stringContaining("/link#") });
    expect(people.faults).toEqual([expect.stringMatching(/could not be sent.*LINEUP_SMTP_URL.*550/)]);
    expect(people.faults.join()).not.toContain(made.link.split("#")[1]);
  });

  test("is not waited for longer than a while", async () => {
    const held = new Set<Socket>();
    const silent = createServer((socket) => held.add(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const faults: string[] = [];
    const log = { error: (_: unknown, message: string) => void faults.push(message) };
    const settings = { smtpUrl: `smtp://127.0.0.1:${portOf(silent)}`, from: "lineup@example.com" };
    const mailer = new Mailer(settings, log, 300);
    const startedAt = performance.now();
    expect(await mailer.send({ to: "a@example.com", subject: "x", text: "y" })).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(faults).toHaveLength(1);
    for (const socket of held) socket.destroy();
    silent.close();
    mailer.close();
  });

  test("is bounded by address, too", async () => {
    const full = await openTestPeople({ mail: { smtpUrl, from: "lineup@example.com" }, takeAddress: () => 60_000 });
    const asking = requestPasswordReset(full.identity.tools, new Browser().visit(), "anybody@example.com");
    await expectRefusal(asking, "TOO_MANY_TRIES");
    await full.close();
  });
});
