/**
 * Reads the body of a write, strictly: JSON in UTF-8, one object, no name twice, bounded in size and depth. Whatever else
 * arrives is refused in words that say what to send instead. Nothing is read before key, limits and permission have passed.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { BodySchema } from "@lineup/api/endpoint";
import { ApiError, DETAILS_MAX, type ErrorDetail } from "@lineup/api/errors";
import { printableName } from "@lineup/api/fields";
import { findNearestName } from "@lineup/api/nearest-name";

export const BODY_MAX_BYTES = 256 * 1024;
const BODY_MAX_DEPTH = 32;

export type JsonObject = Readonly<Record<string, unknown>>;

export async function readJsonObject(request: IncomingMessage, maxBytes = BODY_MAX_BYTES): Promise<JsonObject> {
  checkHeaders(request.headers, maxBytes);
  const text = decodeUtf8(await readBytes(request, maxBytes));
  const value = parse(text);
  const fault = findStructureFault(text);
  if (fault !== undefined) throw refused(fault);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refused("The body must be one JSON object, with names and values between { and }.");
  }
  return value as JsonObject;
}

/** The client went away before its body was whole; there is nobody to answer. */
export class ClientGone extends Error {}

function refused(message: string): ApiError {
  return new ApiError("VALIDATION_ERROR", message);
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const CONTENT_TYPE = new RegExp(
  `^application/json[ \\t]*(?:;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|"[^"\\\\\\x00-\\x1f]*"))?[ \\t]*)*$`,
  "i",
);
const CHARSET = /;[ \t]*charset=("?)([^";]*)\1/gi;

/** Refuses whatever does not say that it is JSON. */
export function requireJsonType(headers: IncomingHttpHeaders): void {
  const contentType = headers["content-type"];
  // As nearly everybody writes it; anything else is read with more care.
  if (contentType === "application/json") return;
  if (contentType === undefined || contentType.length > 200 || !CONTENT_TYPE.test(contentType)) {
    throw refused("Send the header Content-Type: application/json with a JSON body.");
  }
  // All of them, for one that names another encoding may stand beside, or inside, one that does not.
  if (contentType.matchAll(CHARSET).some(([, , charset]) => !/^utf-?8[ \t]*$/i.test(charset ?? ""))) {
    throw refused("The body must be encoded in UTF-8; send Content-Type: application/json.");
  }
}

function checkHeaders(headers: IncomingHttpHeaders, maxBytes: number): void {
  requireJsonType(headers);
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw refused("Compressed bodies are not accepted; send the JSON as it is, without Content-Encoding.");
  }
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): ApiError {
  return refused(`The body is larger than ${maxBytes / 1024} KiB; send less at once.`);
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A request that announces no body has ended before anybody could listen.
    if (request.readableEnded && !request.socket.destroyed) {
      resolve(Buffer.alloc(0));
      return;
    }
    // Who went away while key and limits were looked at has said so already, and will not say it again.
    if (request.destroyed || request.socket.destroyed) {
      reject(new ClientGone());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let isWhole = false;
    // Every request is closed in the end; to make an error of that costs as much as to read the body.
    const onGone = () => {
      if (!isWhole) reject(new ClientGone());
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(tooLarge(maxBytes));
    });
    request.on("end", () => {
      isWhole = true;
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    request.on("error", onGone);
    request.on("close", onGone);
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw refused("The body is not valid UTF-8; encode the JSON in UTF-8 and send it again.");
  }
}

function parse(text: string): unknown {
  if (text.charCodeAt(0) === 0xfeff) throw refused("The body begins with a byte order mark; send the JSON without it.");
  if (text.trim() === "") throw refused("The body is empty; send a JSON object.");
  try {
    return JSON.parse(text);
  } catch {
    throw refused("The body is not valid JSON; check quotes, commas and brackets, and send it again.");
  }
}

/**
 * Finds in text that is known to be JSON what `JSON.parse` forgives: nesting without end, and a name that stands twice in one object, of
 * which it would silently keep the last.
 */
function findStructureFault(text: string): string | undefined {
  /** The names seen in each open object, their escapes resolved; null for an open array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{" || char === "[") {
      if (open.length === BODY_MAX_DEPTH)
        return `The body is nested more than ${BODY_MAX_DEPTH} deep; send it flatter.`;
      open.push(char === "{" ? new Set() : null);
    } else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (names instanceof Set && isName(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        if (names.has(name)) return `The body has the name "${printableName(name)}" twice in one object; send it once.`;
        names.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The position after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Whether the string that ends here is a name: a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ":";
}

/** What an endpoint's schema makes of the fields of a body: the usable ones, and all faults at once. */
export interface JudgedBody {
  readonly usable: Readonly<Record<string, unknown>>;
  readonly faults: readonly ErrorDetail[];
}

export function judgeBody(schema: BodySchema, body: JsonObject): JudgedBody {
  const faults: ErrorDetail[] = [];
  const usable: Record<string, unknown> = {};
  const known = schema.fields.shape;
  for (const name of Object.keys(body)) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (field === undefined) {
      // Which name is near takes a while to find, and of no more than these is anything told.
      faults.push(faults.length < DETAILS_MAX ? unknownField(schema, name) : { field: name, message: "" });
      continue;
    }
    const result = field.safeParse(body[name]);
    if (result.success) usable[name] = result.data;
    else {
      for (const issue of result.error.issues) {
        faults.push({ field: [name, ...issue.path].join("."), message: issue.message });
      }
    }
  }
  for (const name of schema.required) {
    if (!Object.hasOwn(body, name)) faults.push({ field: name, message: "is required" });
  }
  if (schema.atLeastOne && Object.keys(body).length === 0) {
    faults.push({ field: "body", message: `must hold at least one of ${Object.keys(known).join(", ")}` });
  }
  return { usable, faults };
}

function unknownField(schema: BodySchema, name: string): ErrorDetail {
  const field = printableName(name);
  if (schema.readOnly.includes(name)) return { field, message: "cannot be set by a client; leave it out" };
  const near = findNearestName(name, Object.keys(schema.fields.shape));
  return {
    field,
    message: near === undefined ? "is not a known field; leave it out" : `is not a known field; did you mean ${near}?`,
  };
}
