/** Which headers a plain request may have, and which of them mean anything here. */

type ReadName = keyof PlainHeaders;
export type Meaning = ReadName | "ignored";

/** The headers that anything here depends on. */
export class PlainHeaders {
  authorization: string | undefined = undefined;
  host: string | undefined = undefined;
  connection: string | undefined = undefined;
  "accept-encoding": string | undefined = undefined;
  "content-length": string | undefined = undefined;
  "content-type": string | undefined = undefined;
  forwarded: string | undefined = undefined;
  "if-none-match": string | undefined = undefined;
  "user-agent": string | undefined = undefined;
  "x-forwarded-for": string | undefined = undefined;
  "x-forwarded-host": string | undefined = undefined;
  "x-forwarded-proto": string | undefined = undefined;
}

/** Those that clients and proxies send and that change nothing about the answer. None of them frames a message. */
const IGNORED = [
  "accept",
  "accept-charset",
  "accept-language",
  "cache-control",
  "cdn-loop",
  "cf-connecting-ip",
  "cf-ipcountry",
  "cf-ray",
  "cf-visitor",
  "cookie",
  "dnt",
  "from",
  "if-modified-since",
  "origin",
  "pragma",
  "priority",
  "referer",
  "sec-ch-ua",
  "sec-ch-ua-mobile",
  "sec-ch-ua-platform",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "sec-fetch-user",
  "sec-gpc",
  "traceparent",
  "tracestate",
  "via",
  "x-correlation-id",
  "x-forwarded-port",
  "x-forwarded-server",
  "x-real-ip",
  "x-request-id",
  "x-requested-with",
];

/** By every spelling that is usual; the others are found in small letters. */
const NAMES = new Map<string, Meaning>();
for (const name of Object.keys(new PlainHeaders()) as ReadName[]) addName(name, name);
for (const name of IGNORED) addName(name, "ignored");

function addName(name: string, meaning: Meaning): void {
  NAMES.set(name, meaning);
  NAMES.set(
    name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    meaning,
  );
}

/** Undefined for a header that is not to be met in a plain request. */
export function meaningOf(name: string): Meaning | undefined {
  return NAMES.get(name) ?? NAMES.get(name.toLowerCase());
}
