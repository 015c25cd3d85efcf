/**
 * HTTP lets a method be any word, but Node's parser knows a list of them and takes the rest for broken requests. Such a
 * request is read here from the packet it came in, so that it gets the answer of any method that no path has. Only what is
 * plainly a request under the prefix, whole in its head, is taken; everything else stays broken.
 */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { IncomingMessage, METHODS } from "./node-http.ts";
import { isUnderPrefix, originForm } from "./request-target.ts";

const WORD = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const HEAD = new RegExp(`^(${WORD}) ([\\x21-\\x7e]+) HTTP/1\\.1\\r\\n((?:${WORD}:[^\\r\\n\\0]*\\r\\n)*)\\r\\n`);

export function findUnknownMethodRequest(packet: unknown, socket: Duplex): IncomingMessage | undefined {
  const [, method = "", target = "", lines = ""] =
    (Buffer.isBuffer(packet) && HEAD.exec(packet.toString("latin1"))) || [];
  const url = originForm(target);
  if (method === "" || METHODS.includes(method) || !isUnderPrefix(url)) return undefined;
  const request = new IncomingMessage(socket as Socket);
  const rawHeaders = splitHeaders(lines);
  const headers = joinHeaders(rawHeaders);
  if (headers.host === undefined) return undefined;
  return Object.assign(request, { method, url, headers, rawHeaders, httpVersion: "1.1" });
}

/** Names and values in turn. */
function splitHeaders(lines: string): string[] {
  return lines
    .split("\r\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
    });
}

function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [given = "", value = ""] = rawHeaders.slice(at, at + 2);
    const name = given.toLowerCase();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(headers);
}
