import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runLineup } from "../../test/run-lineup.ts";
import { LOOPBACK, Receiver } from "../../test/webhooks/receiver.ts";

let dataDir: string;
let receiver: Receiver;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "lineup-webhook-commands-"));
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const lineup = (...words: string[]) =>
  runLineup(words, { LINEUP_DATA_DIR: dataDir, LINEUP_WEBHOOK_ALLOW: LOOPBACK.join() });

async function lineupJson(...words: string[]) {
  const { code, out, err } = await lineup(...words, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

test("webhooks are made, shown, rotated, disabled, enabled, sent again and deleted by command", async () => {
  const { id: orgId } = await lineupJson("org", "create", "--name", "Riverside");
  const words = ["--org", "Riverside", "--url", receiver.url, "--type", "player.created,player.updated"];
  const made = await lineupJson("webhook", "create", ...words, "--description", "Stats");
  expect(made).toMatchObject({
    id: expect.stringMatching(/^webhook_/),
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    organization: { id: orgId },
  });
  const [listed] = await lineupJson("webhook", "list", "--org", orgId);
  expect(listed).toMatchObject({ id: made.id, state: "new", types: ["player.created", "player.updated"], waiting: 1 });
  expect(JSON.stringify(listed)).not.toContain(made.secret);
  const rotated = await lineupJson("webhook", "rotate", made.id);
  expect(rotated.secret).not.toBe(made.secret);
  expect(await lineup("webhook", "rotate", made.id)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`still signs until ${new Date(rotated.previousSecretUntil).toISOString()}`),
  });
  expect(await lineupJson("webhook", "show", made.id)).toMatchObject({ state: "rotating", description: "Stats" });
  expect(await lineupJson("webhook", "replay", made.id, "--since", "1h")).toMatchObject({ id: made.id });
  expect(await lineupJson("webhook", "disable", made.id)).toMatchObject({ state: "disabled" });
  expect((await lineup("webhook", "replay", made.id, "--since", "1h")).err).toContain("Enable it first");
  expect(await lineupJson("webhook", "enable", made.id)).toMatchObject({ state: "rotating" });
  const tested = await lineup("webhook", "test", made.id);
  // Commands trust no other certificates than servers do.
  expect(tested).toMatchObject({ code: 1, out: "", err: expect.stringContaining("certificate that is not trusted") });
  expect((await lineup("webhook", "delete", made.id)).err).toContain("--yes");
  await lineupJson("webhook", "delete", made.id, "--yes");
  expect(await lineupJson("webhook", "list", "--org", orgId)).toEqual([]);
});

test.each([
  [["--url", "http://example.com/"], 1, "must begin with https://"],
  [["--url", "https://example.com/a\nb"], 1, "must not hold control characters"],
  [["--url", "https://10.0.0.1/"], 1, "LINEUP_WEBHOOK_ALLOW"],
  [["--url", "https://example.com/", "--type", "player.create"], 2, "Did you mean player.created?"],
])("webhook create %j is refused", async (words, code, message) => {
  const refused = await lineup("webhook", "create", "--org", "Riverside", ...words);
  expect(refused).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
});

test("webhook replay says what it needs, and an unknown id where ids are", async () => {
  expect(await lineup("webhook", "replay", "webhook_1")).toMatchObject({ code: 2, out: "" });
  expect((await lineup("webhook", "show", "webhook_1")).err).toContain("lineup webhook list");
});
