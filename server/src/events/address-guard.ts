/**
 * Whom webhooks may be sent to: addresses of the public internet, and what LINEUP_WEBHOOK_ALLOW opens. A member chooses the URL, and the
 * server stands inside of a network that the member does not: so an address is judged where the connection is made, by the very
 * addresses that are connected to. A name that leads elsewhere a moment later changes nothing, and one forbidden address among several
 * is enough to refuse.
 *
 * Closed unless open: of IPv6, only what is given out for the public internet; what carries an IPv4 address within is judged by that.
 */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from "node:net";

/** https://www.iana.org/assignments/iana-ipv4-special-registry: all that is not globally reachable. */
const CLOSED_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Beyond it lie loopback, private, link-local and multicast addresses, and what nobody has been given. */
const PUBLIC_IPV6 = ["2000::/3"];
/** Within it: protocols' own (Teredo, benchmarks), documentation, and 6to4, which leads into IPv4 by whatever relay there is. */
const CLOSED_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/** The message is for the one who keeps the webhook, and tells nothing of what is inside. */
export class ForbiddenAddress extends Error {
  constructor() {
    super("does not lead to a public address; the operator can open others with LINEUP_WEBHOOK_ALLOW");
    this.name = "ForbiddenAddress";
  }
}

export interface AddressGuardOptions {
  /** Addresses and CIDR ranges that are open though they are not public. */
  readonly allow?: readonly string[];
  /** All addresses of a name; for tests that have no DNS of their own. */
  resolve?(name: string): Promise<readonly string[]>;
}

export class AddressGuard {
  readonly #allowed: BlockList;
  readonly #resolve: (name: string) => Promise<readonly string[]>;

  constructor({ allow = [], resolve }: AddressGuardOptions = {}) {
    this.#allowed = listOf(allow);
    this.#resolve = resolve ?? makeResolver();
  }

  /** Why nothing can be sent to the URL, as far as that can be told without asking for its name. */
  findFault(text: string): string | undefined {
    if (!URL.canParse(text)) return "is not a URL; give it as https://host/path";
    const url = new URL(text);
    if (url.protocol !== "https:") return "must begin with https://";
    if (url.username !== "" || url.password !== "")
      return "must hold no user or password; the signature proves who sends";
    if (url.port === "0") return "must not name port 0, on which nobody listens; leave it out for 443";
    try {
      this.refuseLiteral(url);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** A host that is an address is connected to without a look-up, so it is judged before. URLs have written all its spellings as one. */
  refuseLiteral({ hostname }: URL): void {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0) this.#require([host]);
    else if (isLocalName(host)) this.#require(["127.0.0.1"]);
  }

  /** For node:https: what it gives is what is connected to. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#lookUp(hostname, options.family).then(
      (found) => {
        const [first] = found;
        if (first === undefined) {
          callback(Object.assign(new Error(`${hostname} has no address.`), { code: "ENOTFOUND" }), "");
        } else if (options.all === true) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };

  isOpen(address: string): boolean {
    const [plain = ""] = address.split("%");
    const judged = isIPv6(plain) ? (findInnerIPv4(plain) ?? plain) : plain;
    if (isAllowedBy(this.#allowed, plain) || isAllowedBy(this.#allowed, judged)) return true;
    if (isIPv4(judged)) return !CLOSED.check(judged, "ipv4");
    return isIPv6(judged) && PUBLIC.check(judged, "ipv6") && !CLOSED.check(judged, "ipv6");
  }

  async #lookUp(hostname: string, family: unknown): Promise<LookupAddress[]> {
    const addresses = isLocalName(hostname) ? ["127.0.0.1"] : await this.#resolve(hostname);
    this.#require(addresses);
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    return family === 4 || family === 6 ? found.filter((one) => one.family === family) : found;
  }

  #require(addresses: readonly string[]): void {
    if (!addresses.every((address) => this.isOpen(address))) throw new ForbiddenAddress();
  }
}

const CLOSED = listOf([...CLOSED_IPV4, ...CLOSED_IPV6]);
const PUBLIC = listOf(PUBLIC_IPV6);

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix), family);
  }
  return list;
}

function isAllowedBy(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** Names that mean this machine whatever DNS says of them (RFC 6761). */
function isLocalName(name: string): boolean {
  return /(^|\.)localhost\.?$/i.test(name);
}

/** Of an address that is mapped (::ffff:0:0/96) or translated (64:ff9b::/96): the one that is reached by it. */
function findInnerIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const start = groups.slice(0, 6).join();
  if (start !== "0,0,0,0,0,65535" && start !== "100,65435,0,0,0,0") return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** The eight numbers of an IPv6 address; URLs write every spelling of it in one way. */
function groupsOf(address: string): number[] {
  const [before = "", after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const numbers = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [first, last] = [numbers(before), numbers(after ?? "")];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/**
 * DNS is asked without the system's own look-up, which takes one of a few threads for as long as it waits: a name whose server does not
 * answer would hold up all that the process does with files.
 */
function makeResolver(): (name: string) => Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return async (name) => {
    const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = asked.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const [failed] = asked.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
    if (found.length === 0 && failed !== undefined) throw failed;
    return found;
  };
}
