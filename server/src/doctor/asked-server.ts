/** A server as its clients meet it: what it answers, how long that takes, what its clock says, and which certificate it shows. */
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { BASE_PATH } from "@lineup/api/endpoint";
import type { Installation } from "./check.ts";

const ANSWER_WITHIN_MS = 5_000;
const ASK_AGAIN_AFTER_MS = 2_000;
const BODY_MAX_BYTES = 1024 * 1024;
/** Of the addresses that are kept for examples: nobody has it. */
export const MADE_UP_ADDRESS = "192.0.2.77";

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
  /** This machine's clock in the middle of the exchange. */
  readonly at: number;
  /** Of this end of the connection. */
  readonly ownAddress: string;
  readonly tls: ShownCertificate | undefined;
}

export interface ShownCertificate {
  /** Why a client would refuse it; undefined where none would. */
  readonly refusal: string | undefined;
  readonly certificate: PeerCertificate;
}

/** How the server sees who asks it. */
export interface SeenClient {
  readonly isSecure: boolean;
  readonly headers: "trusted" | "ignored" | "none";
  readonly address: string | null;
  readonly origin: string | null;
}

export type AskedServer = Awaited<ReturnType<typeof askServer>>;

export function askLocal({ localUrl }: Installation): Promise<AskedServer> {
  return askServer(localUrl);
}

export function askWorld({ worldUrl }: Installation): Promise<AskedServer> {
  return askServer(worldUrl);
}

async function askServer(url: string | undefined) {
  if (url === undefined) throw new Error("No address is known.");
  const asking = { "Lineup-Doctor": "1", Origin: url };
  const [health, ready, described, refused, page] = await Promise.all([
    ask(`${url}/healthz`),
    askWhetherReady(url, asking),
    ask(`${url}/openapi.json`),
    // What somebody is told who shows something that is no key.
    ask(`${url}${BASE_PATH}/me`, { Authorization: "Bearer doctor" }),
    // What a browser gets.
    ask(`${url}/sign-in`, { Accept: "text/html" }),
  ]);
  // Undefined of a server that is older than this command, or is none of Lineup's.
  const client = readJson(ready)?.client as SeenClient | undefined;
  const isTold = client?.headers === "trusted";
  const again = isTold ? await ask(`${url}/readyz`, { ...asking, "X-Forwarded-For": MADE_UP_ADDRESS }) : undefined;
  // As seen when a client makes up where it comes from.
  const pretended = again === undefined ? undefined : (readJson(again)?.client as SeenClient | undefined);
  const info = readJson(described)?.info as { readonly version?: string } | undefined;
  return { url, health, ready, client, pretended, version: info?.version, refused, page };
}

/** A busy moment is no fault; one that stays is. */
async function askWhetherReady(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const first = await ask(`${url}/readyz`, headers);
  if (first.status !== 503) return first;
  await sleep(ASK_AGAIN_AFTER_MS);
  return ask(`${url}/readyz`, headers);
}

export function readJson({ body }: Answer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A certificate that clients would refuse is looked at all the same; nothing secret is sent. */
export function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const begunAt = Date.now();
  const isSecure = url.startsWith("https:");
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const fail = (error: Error) =>
    reject(signal.aborted ? new Error(`no answer within ${ANSWER_WITHIN_MS / 1_000} seconds`) : error);
  const options = { headers, agent: false, rejectUnauthorized: false, signal };
  const asked = (isSecure ? requestSecure : requestPlain)(url, options, (response) => {
    const at = (begunAt + Date.now()) / 2;
    const ownAddress = response.socket.localAddress ?? "";
    const socket = response.socket as TLSSocket;
    const refusal = socket.authorized ? undefined : String(socket.authorizationError);
    const tls = isSecure ? { refusal, certificate: socket.getPeerCertificate() } : undefined;
    let body = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      body += text;
      if (body.length > BODY_MAX_BYTES) response.destroy(new Error("It answers more than a Lineup server would."));
    });
    response.once("error", fail);
    response.once("end", () =>
      resolve({ status: response.statusCode ?? 0, body, headers: response.headers, at, ownAddress, tls }),
    );
  });
  asked.once("error", fail);
  asked.end();
  return promise;
}
