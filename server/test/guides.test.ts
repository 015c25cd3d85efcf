/** The guides at /docs keep their word: their code runs or compiles, and their links lead somewhere. */
import { once } from "node:events";
import { BASE_PATH } from "@lineup/api/endpoint";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeWebhookSecret, signMessage } from "../src/events/webhook-secret.ts";
import { EXAMPLE_ORIGIN, GUIDE_NAMES, readGuides } from "../src/http/docs-page.ts";
import { buildOpenApi } from "../src/http/openapi.ts";
import {
  findTypeFaults,
  hasClient,
  hasPython,
  runPython,
  runShell,
  startPython,
  type Variables,
} from "./code-to-copy.ts";
import { blocksOf, listAnchors, listGuides } from "./docs-tables.ts";
import { ManualClock } from "./manual-clock.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "./test-server.ts";

const guides = new Map(listGuides().map((guide) => [guide.name, guide.text]));
const ORGANIZATION = "Northwind Esports";
let server: TestServer;
let key: string;

beforeAll(async () => {
  server = await startTestServer();
  ({ key } = await makeKey(server, await makeOrg(server, "Enterprise", ORGANIZATION)));
  await call(server, "POST", "/players", { key, body: { ign: "Vex", role: "Player" } });
});
afterAll(() => server.stop());

/** As the page shows it to who reads it on this server. */
function codeOf(name: (typeof GUIDE_NAMES)[number], language: string, origin = server.origin): string[] {
  return blocksOf(guides.get(name) ?? "", language).map((code) => code.replaceAll(EXAMPLE_ORIGIN, origin));
}

function pythonOf(name: (typeof GUIDE_NAMES)[number], origin?: string): string {
  const [code, ...others] = codeOf(name, "python", origin);
  expect(others).toEqual([]);
  return code ?? "";
}

/** A block that has to be adapted in one spot to be run here. */
function adapt(code: string, spot: string, replacement: string): string {
  expect(code.split(spot)).toHaveLength(2);
  return code.replace(spot, replacement);
}

describe("the guides", () => {
  it("are the files of their folder, each with one heading for the sidebar", () => {
    expect([...guides.keys()].toSorted()).toEqual([...GUIDE_NAMES].toSorted());
    for (const [name, text] of guides) expect(text.match(/^## .+$/gm)?.map(slugOf), name).toEqual([name]);
  });

  it("have code in no language that is not tried here", () => {
    for (const [name, text] of guides) {
      const languages = [...text.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
      expect(
        languages.filter((language) => !/^(?:sh|ts|python|json|http)$/.test(language ?? "")),
        name,
      ).toEqual([]);
    }
  });

  it("name no address but that of the server and of examples", async () => {
    const text = readGuides().replaceAll(EXAMPLE_ORIGIN, "");
    expect([...text.matchAll(/https?:\/\/[^\s"'`)]+/g)].map(([url]) => url)).toEqual([
      "https://hooks.example.com/lineup",
    ]);
  });

  it("link to headings and addresses of their own page that are there", async () => {
    const { info } = buildOpenApi({ version: "1.2.3", serverUrl: BASE_PATH });
    const anchors = listAnchors(readGuides() + info.description);
    expect(new Set(anchors).size).toBe(anchors.length);
    const known = ["/openapi.json", ...anchors.map((anchor) => `#description/${anchor}`)];
    const links = [...readGuides().matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !known.includes(link ?? ""))).toEqual([]);
  });

  it.each(GUIDE_NAMES)("have shell lines that do what is said: %s", async (name) => {
    for (const block of codeOf(name, "sh")) {
      const printed = await runShell(block.replaceAll("lineup_live_…", key), {
        LINEUP_KEY: key,
        LINEUP_DATA_DIR: server.dataDir,
      });
      expect(printed, block).toMatch(/"success":true|whsec_/);
    }
  });

  it.skipIf(!hasClient)("have TypeScript that compiles under the strictest rules", async () => {
    const modules = GUIDE_NAMES.flatMap((name) =>
      codeOf(name, "ts").map((code, index) => [`${name}-${index}`, code] as const),
    );
    expect(modules.length).toBeGreaterThan(0);
    expect(await findTypeFaults(Object.fromEntries(modules))).toBe("");
  });
});

function slugOf(heading: string): string | undefined {
  return listAnchors(heading)[0];
}

describe("the first call", () => {
  it("shows the envelope as it comes", async () => {
    const [shown = ""] = codeOf("first-call", "json");
    const { body } = await call(server, "GET", "/players?limit=2", { key });
    const example = JSON.parse(shown);
    expect(Object.keys(example)).toEqual(Object.keys(body));
    expect(Object.keys(example.meta).toSorted()).toEqual(Object.keys(body.meta).toSorted());
  });

  it.skipIf(!hasPython)("reads players in Python, and says what is wrong", async () => {
    expect(await runPython(pythonOf("first-call"), { LINEUP_KEY: key })).toBe("Vex Player\n");
    expect(await runPython(pythonOf("first-call"), { LINEUP_KEY: "lineup_live_nobody" })).toMatch(/^INVALID_API_KEY /);
  });
});

it.skipIf(!hasPython)("the mirror in Python follows what is written", async () => {
  const own = await makeKey(server, await makeOrg(server));
  const add = (ign: string) =>
    call(server, "POST", "/players", { key: own.key, body: { ign, role: "Player" } }).then(({ status }) =>
      expect(status).toBe(201),
    );
  await add("Vex");
  const mirror = startPython(adapt(pythonOf("keep-a-mirror"), "else 1000", "else 0.1"), { LINEUP_KEY: own.key });
  await expect.poll(mirror.printed).toContain("1 players\n");
  await add("Nyx");
  await expect.poll(mirror.printed).toContain("2 players\n");
});

it.skipIf(!hasPython)("the endpoint in Python believes what we have signed, and nothing else", async () => {
  const secret = makeWebhookSecret();
  const code = adapt(
    adapt(pythonOf("receive-webhooks"), "8080", "0"),
    "server.serve_forever()",
    "print(server.server_port, flush=True)\nserver.serve_forever()",
  );
  const endpoint = startPython(code, { LINEUP_WEBHOOK_SECRET: secret });
  await expect.poll(endpoint.printed).toMatch(/^\d+\n/);
  const port = Number.parseInt(endpoint.printed(), 10);
  const message = { id: "change_1", timestamp: Math.floor(Date.now() / 1_000), body: '{"type":"webhook.ping"}' };
  const send = async (signature: string, { timestamp, body } = message) => {
    const headers = {
      "webhook-id": message.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature,
    };
    return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status;
  };
  const old = { ...message, timestamp: message.timestamp - 3_600 };
  expect(await send(signMessage([makeWebhookSecret(), secret], message))).toBe(204);
  expect(await send(signMessage([makeWebhookSecret()], message))).toBe(400);
  expect(await send(signMessage([secret], message), { ...message, body: "{}" })).toBe(400);
  expect(await send(signMessage([secret], old), old)).toBe(400);
  await expect.poll(() => endpoint.printed().match(/webhook\.ping/g)).toHaveLength(1);
});

describe("the limits", () => {
  it("show the headers that every answer has", async () => {
    const [shown = ""] = codeOf("stay-within-the-limits", "http");
    const { headers } = await call(server, "GET", "/me", { key });
    const names = shown
      .trim()
      .split("\n")
      .map((line) => line.split(":", 1)[0] ?? "");
    expect(names).toHaveLength(5);
    for (const name of names) expect(headers.get(name), name).not.toBeNull();
  });

  it.skipIf(!hasPython)("are waited for in Python where a minute is full, and told where a day is", async () => {
    const clock = new ManualClock();
    const limited = await startTestServer({ clock });
    onTestFinished(() => limited.stop());
    const own = await makeKey(limited, await makeOrg(limited, "Free"));
    await call(limited, "POST", "/players", { key: own.key, body: { ign: "Vex", role: "Player" } });
    const fillMinute = async () => {
      while ((await call(limited, "GET", "/me", { key: own.key })).status !== 429);
    };
    await fillMinute();
    clock.advance(58_500);
    const countRefused = () => limited.logged().match(/RATE_LIMIT_EXCEEDED/g)?.length ?? 0;
    const before = countRefused();
    const variables: Variables = { LINEUP_KEY: own.key };
    const waiting = runPython(pythonOf("stay-within-the-limits", limited.origin), variables);
    await expect.poll(countRefused).toBeGreaterThan(before);
    clock.advance(60_000);
    expect(await waiting).toBe("Vex\n");
    for (let minute = 0; minute < 10; minute++) {
      await fillMinute();
      clock.advance(60_000);
    }
    const told = startPython(pythonOf("stay-within-the-limits", limited.origin), variables);
    expect(await once(told.process, "exit")).toEqual([1, null]);
    expect(told.printed()).toContain("HTTP Error 429");
  });
});

describe("an assistant", () => {
  /** As one reads it that knows the environment. */
  function readSettings(): { readonly type: string; readonly url: string; readonly headers: Record<string, string> } {
    const [shown = ""] = codeOf("ask-an-assistant", "json");
    return JSON.parse(shown.replaceAll(/\$\{LINEUP_KEY\}/g, key)).mcpServers.lineup;
  }

  it("is given the address of this server and the key", () => {
    const headers = { Authorization: `Bearer ${key}` };
    expect(readSettings()).toEqual({ type: "http", url: `${server.origin}/mcp`, headers });
  });

  it("is answered there", async () => {
    const { url, headers } = readSettings();
    const clientInfo = { name: "guides", version: "1.0.0" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("serverInfo");
  });
});
