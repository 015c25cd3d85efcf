/** The code that the guide gives integrators to retry with does so, where answers are lost and others write the same record. */
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf, readDocument } from "./docs-tables.ts";
import { takeEach } from "./take-each.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "./test-server.ts";

const { text } = readDocument("docs/integrating.md");
const JAVASCRIPT = blocksOf(text, "js")
  .filter((block) => /callLineup|changeRecord/.test(block))
  .join("\n");
const PYTHON = blocksOf(text, "python").find((block) => block.includes("def call_lineup")) ?? "";
const hasPython = spawnSync("python3", ["--version"]).status === 0;

let server: TestServer;
let relay: Server;
/** Of the next writes, how many have their answers thrown away. */
let losses = 0;

beforeAll(async () => {
  server = await startTestServer();
  relay = createServer(
    takeEach(async (request, response) => {
      const { method = "", url, headers } = request;
      const body = Buffer.concat(await request.toArray());
      const answer = await fetch(server.origin + url, {
        method,
        headers: Object.entries(headers).filter(([name]) => !/^(host|connection|content-length)$/.test(name)) as [
          string,
          string,
        ][],
        ...(method === "GET" ? {} : { body }),
      });
      if (method !== "GET" && losses-- > 0) return void request.socket.destroy();
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    }),
  );
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
});
afterAll(async () => {
  relay.closeAllConnections();
  relay.close();
  await server.stop();
});

/** In a process of its own, as an integrator would. Gives back what the code prints as JSON. */
async function runWith(key: string, program: string, ...args: string[]): Promise<unknown> {
  const { port } = relay.address() as AddressInfo;
  const env = { ...process.env, BASE: `http://127.0.0.1:${port}/api/public/v1`, KEY: key };
  return JSON.parse((await promisify(execFile)(program, args, { env })).stdout);
}

const runJavaScript = (key: string, use: string) =>
  runWith(key, process.execPath, "--input-type=module", "-e", `${JAVASCRIPT}\n${use}`);

async function listPlayers(key: string) {
  return (await call(server, "GET", "/players", { key })).body.data;
}

it("in JavaScript: a write whose answers are lost is made once", async () => {
  const { key } = await makeKey(server, await makeOrg(server));
  losses = 2;
  const made = await runJavaScript(
    key,
    `console.log(JSON.stringify(await callLineup("POST", "/players", { ign: "Vex", role: "Player" })));`,
  );
  const [player, ...others] = await listPlayers(key);
  expect(others).toEqual([]);
  expect(made).toMatchObject({ data: player, etag: expect.stringMatching(/^W\/"/) });
});

it("in JavaScript: of changes at the same time none is lost, nor made twice where its answer is", async () => {
  const { key } = await makeKey(server, await makeOrg(server));
  const { id } = (await call(server, "POST", "/players", { key, body: { ign: "Vex", role: "Player" } })).body.data;
  losses = 1;
  const addFour = `console.log((await Promise.all([1, 2, 3, 4].map(() => addGame("${id}")))).length);`;
  expect(await runJavaScript(key, addFour)).toBe(4);
  expect(await listPlayers(key)).toMatchObject([{ stats: { games: 4 } }]);
});

it.skipIf(!hasPython)("in Python: a write whose answers are lost is made once", async () => {
  const { key } = await makeKey(server, await makeOrg(server));
  losses = 2;
  const use = `print(json.dumps(call_lineup("POST", "/players", {"ign": "Vex", "role": "Player"})))`;
  const made = await runWith(key, "python3", "-c", `${PYTHON}\n${use}`);
  const [player, ...others] = await listPlayers(key);
  expect(others).toEqual([]);
  expect(made).toMatchObject({ data: player });
});
