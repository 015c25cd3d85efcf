/** Which headers a plain request may have, and which of them mean anything here. */

/** The headers that anything here depends on. Each may be there once. */
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

export type Meaning = keyof PlainHeaders | "ignored";

/** What clients, proxies, balancers and tracing send that changes nothing about the answer. None of them frames a message. */
const IGNORED = [
  "accept",
  "accept-charset",
  "accept-language",
  "b3",
  "baggage",
  "cache-control",
  "cdn-loop",
  "client-ip",
  "cookie",
  "dnt",
  "from",
  "if-modified-since",
  "origin",
  "pragma",
  "priority",
  "referer",
  "save-data",
  "sentry-trace",
  "traceparent",
  "tracestate",
  "true-client-ip",
  "uber-trace-id",
  "upgrade-insecure-requests",
  "via",
  "x-client-ip",
  "x-cloud-trace-context",
  "x-correlation-id",
  "x-forwarded-port",
  "x-forwarded-server",
  "x-real-ip",
  "x-request-id",
  "x-request-start",
  "x-requested-with",
  "x-scheme",
];

/** Headers of one origin, of which there are many. */
const IGNORED_PREFIXES = [
  "cf-",
  "cloudfront-",
  "fastly-",
  "fly-",
  "sec-ch-",
  "sec-fetch-",
  "sec-gpc",
  "x-amz-cf-",
  "x-amzn-",
  "x-azure-",
  "x-b3-",
  "x-datadog-",
  "x-envoy-",
  "x-forwarded-",
  "x-vercel-",
];

/** By every spelling that is usual; the others are found in small letters. */
const NAMES = new Map<string, Meaning>();
for (const name of Object.keys(new PlainHeaders()) as (keyof PlainHeaders)[]) addName(name, name);
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
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  const small = name.toLowerCase();
  return NAMES.get(small) ?? (IGNORED_PREFIXES.some((prefix) => small.startsWith(prefix)) ? "ignored" : undefined);
}
