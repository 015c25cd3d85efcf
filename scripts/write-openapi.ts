/** Writes the OpenAPI document to the path given, for tools that read it from a file. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { BASE_PATH } from "@lineup/api/endpoint";
import { buildOpenApi } from "@lineup/server/http/openapi";

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error("Say where to write it: node scripts/write-openapi.ts <path>");
  process.exit(2);
}

const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const document = buildOpenApi({ version, serverUrl: BASE_PATH });
await mkdir(dirname(path), { recursive: true });
await writeFile(path, `${JSON.stringify(document, null, 2)}\n`);
