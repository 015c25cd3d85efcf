/**
 * What to do with a key, to copy: for a shell, in TypeScript, in Python, for an assistant. Each asks for something that the key may really read.
 * Code reads the key from the environment, always: what is copied into a file ends in a repository.
 */
import type { Permission } from "@lineup/api/permissions";
import { API_PREFIX, KEY_VARIABLE, pickFirstPath, quoteForShell } from "./shell-lines.ts";

export const KEY_USES = ["curl", "typescript", "python", "assistant"] as const;
export type KeyUse = (typeof KEY_USES)[number];

export interface UsedKey {
  /** The server's address, such as https://lineup.example.com */
  readonly origin: string;
  readonly permissions: readonly Permission[];
  /** Known only right after it was made. */
  readonly key?: string | undefined;
}

/** Whether the text to copy has the key itself in it. */
export function holdsKey(use: KeyUse, { key }: UsedKey): boolean {
  return key !== undefined && (use === "curl" || use === "assistant");
}

const MAKERS: Readonly<Record<KeyUse, (used: UsedKey) => string>> = {
  curl: makeCurl,
  typescript: makeTypeScript,
  python: makePython,
  assistant: makeAssistantSettings,
};

export function makeUse(use: KeyUse, used: UsedKey): string {
  return MAKERS[use](used);
}

function makeCurl({ origin, permissions, key }: UsedKey): string {
  const url = quoteForShell(`${origin}${API_PREFIX}${pickFirstPath(permissions)}`);
  const header = "Authorization: Bearer ";
  return `curl ${url} \\\n  -H ${key === undefined ? `"${header}$${KEY_VARIABLE}"` : quoteForShell(header + key)}`;
}

function makeTypeScript({ origin, permissions }: UsedKey): string {
  const resource = pickFirstPath(permissions).slice(1);
  const use =
    resource === "me"
      ? "console.log(await lineup.me());"
      : `for await (const record of lineup.${resource}.list()) console.log(record);`;
  return `// npm install ./lineup-client-1.0.0.tgz
// The operator of the server has that file, or makes it: npm run pack, in a clone of Lineup.
import { Lineup } from "@lineup/client";

const lineup = new Lineup({
  baseUrl: ${JSON.stringify(origin)},
  key: process.env.${KEY_VARIABLE} ?? "",
});
${use}`;
}

function makePython({ origin, permissions }: UsedKey): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(`${origin}${API_PREFIX}${pickFirstPath(permissions)}`)},
    headers={"Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}"},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"])`;
}

/** As most assistants that speak MCP take it. */
function makeAssistantSettings({ origin, key = `\${${KEY_VARIABLE}}` }: UsedKey): string {
  const headers = { Authorization: `Bearer ${key}` };
  return JSON.stringify({ mcpServers: { lineup: { type: "http", url: `${origin}/mcp`, headers } } }, null, 2);
}
