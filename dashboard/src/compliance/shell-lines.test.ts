import { execFileSync } from "node:child_process";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { PERMISSIONS } from "@lineup/api/permissions";
import { describe, expect, it } from "vitest";
import { makeRepeatCurl, pickFirstPath } from "./shell-lines.ts";

/** What a real shell would hand to curl, one argument a line. */
function argumentsInShell(line: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\n${line}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8", env: { LINEUP_KEY: "the-key" } }).split("\n");
}

const HOSTILE = [
  "/players?search=$(id)",
  "/players?search=`id`",
  "/players?search='; echo broken; '",
  '/players?search="$HOME"',
  "/players?search=a\\",
  "/players?a=1&b=2;c=3|d",
];

describe("lines to paste", () => {
  it.each(HOSTILE)("hand %s to curl as it is, and run nothing of it", (target) => {
    const line = makeRepeatCurl("https://lineup.example.com", { method: "GET", target });
    expect(argumentsInShell(line)).toContain(`https://lineup.example.com/api/public/v1${target}`);
    expect(argumentsInShell(line)).toContain("Authorization: Bearer the-key");
  });

  it("say the method, and where a body belongs", () => {
    const parts = argumentsInShell(makeRepeatCurl("http://localhost:1", { method: "PATCH", target: "/players/p" }));
    expect(parts).toEqual(expect.arrayContaining(["-X", "PATCH", "--data", "@body.json"]));
  });

  it("name an endpoint that the key may call, whatever it holds", () => {
    for (const permission of PERMISSIONS) {
      const path = pickFirstPath([permission]);
      const endpoint = ENDPOINTS.find((each) => each.method === "GET" && each.path === path);
      expect(endpoint, permission).toBeDefined();
      const lists = ENDPOINTS.some((each) => each.method === "GET" && each.list && each.permission === permission);
      expect([permission, endpoint?.permission]).toEqual([permission, lists ? permission : "any"]);
    }
  });
});
