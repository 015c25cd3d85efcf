import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ClientRequest, makeClientResolver } from "./client-address.ts";

function requestFrom(remoteAddress: string, headers: IncomingHttpHeaders): ClientRequest {
  return { headers, socket: { remoteAddress } as ClientRequest["socket"] };
}

const PROXY = "192.0.2.1";

/** As plainly as it can be said: who is named last before those who are trusted. */
function expectedClient(trusted: BlockList, forwarded: string): string {
  let client = PROXY;
  for (const entry of forwarded
    .split(",")
    .map((one) => one.trim())
    .reverse()) {
    if (isIP(entry) === 0) break;
    client = entry;
    if (!trusted.check(entry, isIP(entry) === 6 ? "ipv6" : "ipv4")) break;
  }
  return client;
}

describe("the client behind trusted proxies", () => {
  // Few of each, so that addresses lie in networks, on their edges and beside them.
  const part = fc.constantFrom(0, 1, 127, 128, 192, 255);
  const ipv4 = fc.tuple(part, part, part, part).map((parts) => parts.join("."));
  const ipv6 = fc.tuple(part, part).map(([one, other]) => `2001:db8::${one.toString(16)}:${other.toString(16)}`);
  const network = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(ipv4, fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`) },
    { weight: 4, arbitrary: ipv4 },
    { weight: 1, arbitrary: fc.tuple(ipv6, fc.nat(128)).map(([address, prefix]) => `${address}/${prefix}`) },
  );
  const others = fc.oneof(ipv4, ipv6, fc.constantFrom("", "unknown", "1.2.3", "256.1.1.1"));
  /** Networks, and a chain in which half of the entries lie in one of them. */
  const asked = fc.array(network, { maxLength: 3 }).chain((networks) => {
    const trusted = fc.constantFrom(PROXY, ...networks.map((one) => one.split("/", 1)[0] ?? ""));
    const entries = fc.array(fc.oneof(trusted, others), { minLength: 1, maxLength: 4 });
    return entries.map((all) => ({ networks, forwarded: all.join(", ") }));
  });

  it("is the last that is named before them, whatever is trusted", () => {
    let beyond = 0;
    fc.assert(
      fc.property(asked, ({ networks, forwarded }) => {
        const all = [PROXY, ...networks];
        const trusted = new BlockList();
        for (const one of all) {
          const [address = "", prefix] = one.split("/");
          const family = isIP(address) === 6 ? "ipv6" : "ipv4";
          trusted.addSubnet(address, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family);
        }
        const client = makeClientResolver(all)(requestFrom(PROXY, { "x-forwarded-for": forwarded }));
        const expected = expectedClient(trusted, forwarded);
        expect(client.address).toBe(expected);
        if (expected !== PROXY && !forwarded.endsWith(expected)) beyond++;
      }),
      { numRuns: 3_000 },
    );
    expect(beyond).toBeGreaterThan(100);
  });

  it.each([
    ["https", true],
    ["HTTPS", true],
    ["http, https ", true],
    ["https,http", false],
    ["https,", false],
    ["", false],
  ])("came in secrecy if the last of them says so: %j", (proto, isSecure) => {
    const client = makeClientResolver([PROXY])(requestFrom(PROXY, { "x-forwarded-proto": proto }));
    expect([client.isSecure, client.isPrivate]).toEqual([isSecure, isSecure]);
  });

  it("asked for the host that the last of them names", () => {
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "made.up, api.example " };
    expect(makeClientResolver([PROXY])(requestFrom(PROXY, headers)).forwardedHost).toBe("api.example");
  });

  it("is who has connected where that is nobody who is trusted", () => {
    const headers = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", "x-forwarded-host": "made.up" };
    for (const trusted of [[], [PROXY]]) {
      const client = makeClientResolver(trusted)(requestFrom("198.51.100.7", headers));
      expect(client).toMatchObject({ address: "198.51.100.7", isSecure: false, forwardedHost: undefined });
    }
  });
});

describe("a client behind a proxy that says so by Forwarded alone", () => {
  const HERE = "127.0.0.1";
  const resolve = (trusted: readonly string[], headers: IncomingHttpHeaders) =>
    makeClientResolver(trusted)(requestFrom(HERE, headers));

  it.each([[], [HERE]])("is not taken for one on this machine, with %s trusted", (...trusted) => {
    expect(resolve(trusted, {})).toMatchObject({ isLocal: true, isPrivate: true });
    for (const forwarded of [
      "for=203.0.113.7",
      "for=203.0.113.7;proto=http",
      "proto=https, for=203.0.113.7",
      "",
      "?",
    ]) {
      const client = resolve(trusted, { forwarded });
      expect(client).toMatchObject({ address: HERE, isLocal: false, isPrivate: false, isSecure: false });
    }
  });

  it("has come in secrecy where the last proxy says so, but is not believed to", () => {
    for (const forwarded of [
      "proto=https",
      'for="[2001:db8::1]";Proto="HTTPS";by=x',
      "proto=http, for=a; proto=https",
    ]) {
      expect(resolve([], { forwarded })).toMatchObject({ isLocal: false, isPrivate: true, isSecure: false });
      expect(resolve([], { forwarded, "x-forwarded-proto": "http" })).toMatchObject({ isPrivate: false });
      expect(resolve([HERE], { forwarded })).toEqual(resolve([], { forwarded }));
    }
  });

  it.each([[], [HERE]])("has come over TLS where it has, with %s trusted", (...trusted) => {
    const head = { headers: { forwarded: "for=203.0.113.7" }, socket: { remoteAddress: HERE, encrypted: true } };
    const client = makeClientResolver(trusted)(head as unknown as ClientRequest);
    expect(client).toMatchObject({ isLocal: false, isPrivate: true, isSecure: true });
  });

  it("changes nothing of what a trusted proxy says, but that nobody beyond it is here", () => {
    const said = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };
    const client = resolve([HERE], said);
    expect(resolve([HERE], { ...said, forwarded: "for=203.0.113.7;proto=https" })).toEqual(client);
    expect(client).toMatchObject({ address: "203.0.113.7", isPrivate: true, isSecure: true });
    expect(resolve([HERE], { "x-forwarded-for": HERE })).toMatchObject({ isLocal: true });
    expect(resolve([HERE], { "x-forwarded-for": HERE, forwarded: "for=203.0.113.7" })).toMatchObject({
      isLocal: false,
    });
  });
});
