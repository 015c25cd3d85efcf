/** Requests sent one behind the other over one connection, without waiting for answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { openRaw } from "./raw-connection.ts";

let server: TestServer;
let key: string;
beforeAll(async () => {
  server = await startTestServer();
  key = (await makeKey(server, await makeOrg(server))).key;
});
afterAll(() => server.stop());

function requestText(method: string, path: string, body = ""): string {
  const content = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} /api/public/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${content}\r\n${body}`;
}

describe("requests sent together", () => {
  it("are answered in their order, and each sees what those before it have written", async () => {
    const connection = await openRaw(server.origin);
    const rounds = 5;
    for (let round = 1; round <= rounds; round++) {
      connection.send(
        requestText("POST", "/players", JSON.stringify({ ign: `p${round}`, role: "Player" })) +
          requestText("GET", "/players") +
          requestText("GET", "/teams"),
      );
    }
    for (let round = 1; round <= rounds; round++) {
      const [made, players, teams] = [
        await connection.readAnswer(),
        await connection.readAnswer(),
        await connection.readAnswer(),
      ];
      expect([made.status, JSON.parse(made.body).data.ign]).toEqual([201, `p${round}`]);
      expect(JSON.parse(players.body).meta.count).toBe(round);
      expect(JSON.parse(teams.body).meta.count).toBe(0);
    }
    connection.close();
  });

  it("are all answered, or cut off, however many they are", async () => {
    const flooding = await openRaw(server.origin);
    const count = 3_000;
    flooding.send(requestText("GET", "/players").repeat(count));
    const countAnswers = () => flooding.unread.split("HTTP/1.1 ").length - 1;
    await expect.poll(() => flooding.isEnded || countAnswers() === count).toBe(true);
    flooding.close();
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  });
});
