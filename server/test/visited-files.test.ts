/** ARCHITECTURE.md names the files that a request visits; how few they are is what makes the way of a request readable. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";

type Visited = Readonly<Record<"GET" | "PATCH", readonly string[]>>;

const MOST = { GET: 35, PATCH: 50 };
const ARCHITECTURE = readFileSync(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
let visited: Visited;

beforeAll(async () => {
  const script = fileURLToPath(new URL("visited-files.ts", import.meta.url));
  visited = JSON.parse((await promisify(execFile)(process.execPath, [script])).stdout) as Visited;
});

/** Lines such as "- `http/`: answer, exchange" below the heading of the method. */
function filesTold(method: keyof Visited): string[] {
  const section = ARCHITECTURE.split(/^## /m).find((text) => text.startsWith(`The way of a ${method}\n`)) ?? "";
  return [...section.matchAll(/^- `([\w/-]+)\/`: (.+)$/gm)].flatMap(([, room = "", names = ""]) =>
    names.split(", ").map((name) => `${folderOf(room)}/${name}.ts`),
  );
}

function folderOf(room: string): string {
  return room === "api" || room === "server" ? `${room}/src` : `server/src/${room}`;
}

it.each(["GET", "PATCH"] as const)("the way of a %s visits the files that ARCHITECTURE.md names", (method) => {
  expect(visited[method]).toEqual(filesTold(method).toSorted());
  expect(visited[method].length).toBeLessThanOrEqual(MOST[method]);
});
