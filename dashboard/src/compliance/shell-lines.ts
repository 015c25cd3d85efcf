/**
 * Lines to paste into a shell or a file. Whatever stands in them was sent by somebody: a path from the log may hold quotes or
 * a command substitution, and pasting the line must never run it. So every part that is not ours is quoted.
 */
import type { Permission } from "@lineup/api/permissions";

export const KEY_VARIABLE = "LINEUP_KEY";
export const API_PREFIX = "/api/public/v1";

/** In single quotes nothing means anything to a shell but the single quote itself. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function makeEnvLine(key: string): string {
  return `${KEY_VARIABLE}=${key}`;
}

export const SECRET_VARIABLE = "LINEUP_WEBHOOK_SECRET";

export function makeSecretLine(secret: string): string {
  return `${SECRET_VARIABLE}=${secret}`;
}

/** How an endpoint in Node.js finds out that a message is ours; `body` is the text as it came. It throws for any other. */
export const VERIFY_LINES = `import { Webhook } from "standardwebhooks"; // npm install standardwebhooks

const webhook = new Webhook(process.env.${SECRET_VARIABLE});
const change = webhook.verify(body, request.headers);`;

/** What a key with this permission can read without knowing an id. Writes alone can still ask who they are. */
const READABLE_PATH: Partial<Record<Permission, string>> = {
  "players:read": "/players",
  "teams:read": "/teams",
  "roster:read": "/roster",
  "schedule:read": "/schedule",
  "prospects:read": "/prospects",
  "contracts:read": "/contracts",
};

/** An endpoint that a key with these permissions may call. */
export function pickFirstPath(permissions: readonly Permission[]): string {
  for (const permission of permissions) {
    const path = READABLE_PATH[permission];
    if (path !== undefined) return path;
  }
  return "/me";
}

export interface RepeatableRequest {
  readonly method: string;
  readonly target: string;
}

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PATCH", "PUT"]);

export function needsBody(method: string): boolean {
  return METHODS_WITH_BODY.has(method);
}

/** The same request again, with the key from the environment. Bodies are not kept, so one is read from a file. */
export function makeRepeatCurl(origin: string, request: RepeatableRequest): string {
  const parts = [
    `curl ${makeMethodFlag(request.method)}${quoteForShell(`${origin}${API_PREFIX}${request.target}`)}`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
  ];
  if (needsBody(request.method)) parts.push("-H 'Content-Type: application/json'", "--data @body.json");
  return parts.join(" \\\n  ");
}

function makeMethodFlag(method: string): string {
  if (method === "GET") return "";
  return method === "HEAD" ? "--head " : `-X ${quoteForShell(method)} `;
}
