/** An organization that is deleted while a request of its key is under way. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { deleteOrganization } from "../../src/access/organizations.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer } from "../test-server.ts";

it("a write whose organization goes away meanwhile is refused as one by a key that nobody holds", async () => {
  const server = await startTestServer();
  try {
    const orgId = await makeOrg(server);
    const { key } = await makeKey(server, orgId);
    const body = JSON.stringify({ ign: "Vex", role: "Player" });
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const post = request(`${server.baseUrl}/players`, { method: "POST", headers });
    const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      post.once("error", reject);
      post.once("response", (response) =>
        text(response).then((body) => resolve({ status: response.statusCode, text: body }), reject),
      );
    });
    post.write(body.slice(0, 5));
    // On another connection, answered after the head of this one was: it has passed key and permission by then.
    await call(server, "GET", "/me", { key });
    await deleteOrganization(server.store, orgId, TEST_ORIGIN);
    post.end(body.slice(5));
    const { status, text: answer } = await answered;
    expect(status).toBe(401);
    expect(JSON.parse(answer).error.code).toBe("INVALID_API_KEY");
    expect(server.logged()).not.toContain('"level":50');
  } finally {
    await server.stop();
  }
});
