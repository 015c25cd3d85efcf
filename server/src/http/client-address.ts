/**
 * Where a request comes from, and whether it came in secrecy. Without a trusted proxy that is the connection itself.
 * Behind one, the client is the rightmost address of `X-Forwarded-For` that is not a trusted proxy, and the proxy's word
 * counts for HTTPS. Headers from anybody else are not believed, but where they admit to less secrecy than the connection
 * shows, as those of a proxy on this machine that nobody has named do, they make us more careful. So does `Forwarded`, no matter who sends it.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";

export interface Client {
  readonly address: string;
  /** The way here was encrypted, or never left this machine. */
  readonly isPrivate: boolean;
  /** The client runs on this machine, as far as can be told. */
  readonly isLocal: boolean;
  /** The client came over HTTPS, by the connection itself or by a trusted proxy's word. */
  readonly isSecure: boolean;
  /** What a trusted proxy says the client asked for, where it says so. */
  readonly forwardedHost: string | undefined;
}

/** What tells of the client. */
export type ClientRequest = Pick<IncomingMessage, "headers" | "socket">;

export type ClientResolver = (request: ClientRequest) => Client;

export function makeClientResolver(trustedProxies: readonly string[]): ClientResolver {
  const isTrusted = makeTrust(trustedProxies);
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    const isPeerHere = isLoopbackAddress(peer);
    const overTls = (request.socket as TLSSocket).encrypted === true;
    const forwarded = request.headers["x-forwarded-for"]?.toString();
    const proto = request.headers["x-forwarded-proto"]?.toString();
    // Nobody is believed by it, but anyone who sends it stands between us and the client.
    const { forwarded: standard } = request.headers;
    if (forwarded === undefined && proto === undefined && standard === undefined) {
      const isPrivate = overTls || isPeerHere;
      return { address: peer, isPrivate, isLocal: isPeerHere, isSecure: overTls, forwardedHost: undefined };
    }
    const saysHttps = proto !== undefined && lastOf(proto).toLowerCase() === "https";
    // What a proxy on another machine calls loopback is its own, not ours; so all of the way must be here.
    const namesOnlyUs = standard === undefined && (forwarded === undefined || namesOnlyLoopback(forwarded));
    const staysHere = isPeerHere && namesOnlyUs;
    if (!isTrusted(peer) || (forwarded === undefined && proto === undefined)) {
      const claimsHttps = saysHttps || (proto === undefined && SAYS_HTTPS.test(lastOf(standard ?? "")));
      const admitsPlainHttp = !claimsHttps && (proto !== undefined || !staysHere);
      const isPrivate = overTls || (isPeerHere && !admitsPlainHttp);
      return { address: peer, isPrivate, isLocal: false, isSecure: overTls, forwardedHost: undefined };
    }
    const address = forwarded === undefined ? peer : clientOf(forwarded, peer, isTrusted);
    const isLocal = forwarded !== undefined && staysHere;
    const host = request.headers["x-forwarded-host"]?.toString();
    const forwardedHost = host === undefined ? undefined : lastOf(host);
    return { address, isPrivate: saysHttps || isLocal, isLocal, isSecure: saysHttps, forwardedHost };
  };
}

/** Whether the proxy before us has said whom it asks for; where that is no address, its own counts. */
export function namesAddress(forwarded: string | readonly string[] | undefined): boolean {
  return forwarded !== undefined && isIP(plainAddress(lastOf(String(forwarded)))) !== 0;
}

/** In what one proxy says by `Forwarded`. */
const SAYS_HTTPS = /(?:^|;)\s*proto="?https"?\s*(?:;|$)/i;

type Trust = (address: string) => boolean;

export function makeTrust(trustedProxies: readonly string[]): Trust {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const version = isIP(address);
    return trustedProxies.length > 0 && version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

/** Each proxy adds its word at the end, and the last is the one we know. */
function lastOf(list: string): string {
  const comma = list.lastIndexOf(",");
  return comma < 0 ? list.trim() : list.slice(comma + 1).trim();
}

function namesOnlyLoopback(forwarded: string): boolean {
  // Nearly all name somebody else, which is seen at once.
  if (!forwarded.includes("127.") && !forwarded.includes("::1")) return false;
  return forwarded.split(",").every((entry) => isLoopbackAddress(plainAddress(entry.trim())));
}

/** From the right, for as long as it is proxies of ours that are named. */
function clientOf(forwarded: string, peer: string, isTrusted: Trust): string {
  let client = peer;
  for (let end = forwarded.length; end >= 0; ) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(",", end - 1);
    const address = plainAddress(forwarded.slice(comma + 1, end).trim());
    // What is not an address was not written by a proxy that deserves trust; the last one that did is where we stop.
    if (isIP(address) === 0) return client;
    client = address;
    if (!isTrusted(address)) return client;
    end = comma;
  }
  return client;
}

/** Without a port, brackets, a zone, or the IPv6 form of an IPv4 address. */
function plainAddress(text: string): string {
  let address = text;
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(address);
  if (bracketed?.[1] !== undefined) address = bracketed[1];
  else if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(address)) address = address.slice(0, address.lastIndexOf(":"));
  const zone = address.indexOf("%");
  if (zone >= 0) address = address.slice(0, zone);
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address;
}

export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}
