import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RECEIVER_TLS, Receiver } from "../../test/webhooks/receiver.ts";
import { AddressGuard } from "./address-guard.ts";
import { WebhookRequester } from "./webhook-request.ts";
import { makeWebhookSecret } from "./webhook-secret.ts";

/** As people, and those who mean harm, may write them in a URL. */
const SPELLINGS = [
  // Loopback.
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7f.1",
  "0177.0.0.1",
  "0177.1",
  "017700000001",
  "127.0.0.1.",
  "127.255.255.254",
  "0x7F.0x0.0x0.0x1",
  "127.0.0x1",
  "%31%32%37.0.0.1",
  "１２７.0.0.1",
  "127。0。0。1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "api.localhost.",
  // This host, this network.
  "0.0.0.0",
  "0",
  "0x0",
  "00000",
  "0.1.2.3",
  // Private.
  "10.0.0.1",
  "10.1",
  "167772161",
  "0xa000001",
  "012.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "0xac.0x10.0.1",
  "2886729729",
  "192.168.0.1",
  "192.168.1",
  "3232235521",
  "0xc0a80001",
  "0300.0250.0.1",
  // Link-local, and the clouds' metadata in it.
  "169.254.169.254",
  "169.254.43518",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "169.254.0.1",
  // Carrier, protocols, documentation, benchmarks, 6to4 relays.
  "100.64.0.1",
  "100.127.255.254",
  "1681915905",
  "192.0.0.1",
  "192.0.0.170",
  "192.0.2.1",
  "198.51.100.7",
  "203.0.113.9",
  "198.18.0.1",
  "198.19.255.255",
  "192.88.99.1",
  // Multicast, reserved, broadcast.
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "4294967295",
  "0xffffffff",
  // IPv6: loopback, unspecified, compatible.
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[0::0]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  // Mapped.
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::FFFF:10.0.0.1]",
  "[0:0:0:0:0:ffff:c0a8:1]",
  "[::ffff:169.254.169.254]",
  "[::ffff:0:127.0.0.1]",
  // Translated (NAT64), and its local range.
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b::10.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::1]",
  "[64:ff9b:1:ffff::10.0.0.1]",
  // 6to4, Teredo, protocols, benchmarks, documentation, discard, SRv6.
  "[2002:7f00:1::]",
  "[2002:a00:1::1]",
  "[2002:c0a8:101::1]",
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
  "[2001::1]",
  "[2001:2::1]",
  "[2001:10::1]",
  "[2001:20::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[100::1]",
  "[5f00::1]",
  // Unique local, link-local, site-local, multicast.
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[ff0e::1]",
];

/** What names may lead to. */
const RESOLVED = [
  ["127.0.0.1"],
  ["10.0.0.5"],
  ["169.254.169.254"],
  ["::1"],
  ["fe80::1%eth0"],
  ["::ffff:192.168.0.1"],
  ["64:ff9b::a00:1"],
  ["fd00::1"],
  ["93.184.216.34", "127.0.0.1"],
  ["2606:2800:220:1::1", "::1"],
];

let receiver: Receiver;
let plain: Server;
let connections = 0;
let port: number;

beforeAll(async () => {
  receiver = await Receiver.start();
  plain = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  plain.listen({ port: 0, host: "::", ipv6Only: false });
  await once(plain, "listening");
  port = (plain.address() as AddressInfo).port;
});
afterAll(async () => {
  await receiver?.stop();
  plain?.close();
});

function requesterWith(guard: AddressGuard): WebhookRequester {
  return new WebhookRequester({ guard, version: "test", ca: RECEIVER_TLS.cert, attemptMaxMs: 5_000, now: Date.now });
}

const message = { id: "change_1", body: "{}" };
const secrets = [makeWebhookSecret()];

describe("addresses that are not public", () => {
  it("are refused in more than eighty spellings, without a connection, as URL and when sent to", async () => {
    expect(SPELLINGS.length).toBeGreaterThan(80);
    const guard = new AddressGuard({ resolve: () => Promise.reject(new Error("No name is asked for.")) });
    const requester = requesterWith(guard);
    const open: string[] = [];
    for (const host of SPELLINGS) {
      const url = `https://${host}:${port}/`;
      if (guard.findFault(url)?.includes("LINEUP_WEBHOOK_ALLOW") !== true) open.push(`as URL: ${host}`);
      const { fault } = await requester.send(url, secrets, message);
      if (fault?.includes("LINEUP_WEBHOOK_ALLOW") !== true) open.push(`sent to: ${host}: ${fault}`);
    }
    requester.close();
    expect(open).toEqual([]);
    expect(connections).toBe(0);
  });

  it.each(RESOLVED)("are refused behind a name: %s", async (...addresses) => {
    const requester = requesterWith(new AddressGuard({ resolve: () => Promise.resolve(addresses) }));
    const { fault } = await requester.send(`https://hooks.example.com:${port}/`, secrets, message);
    requester.close();
    expect(fault).toContain("LINEUP_WEBHOOK_ALLOW");
    expect(fault).not.toContain(addresses[0]);
    expect(connections).toBe(0);
  });

  it("are refused when a name leads to them a moment after it was looked at", async () => {
    const answers = [["93.184.216.34"], ["127.0.0.1"]];
    const guard = new AddressGuard({ resolve: () => Promise.resolve(answers.shift() ?? []) });
    await new Promise<void>((resolve) => guard.lookup("hooks.example.com", { all: true }, () => resolve()));
    const requester = requesterWith(guard);
    const { fault } = await requester.send(`https://hooks.example.com:${port}/`, secrets, message);
    requester.close();
    expect(fault).toContain("LINEUP_WEBHOOK_ALLOW");
    expect(connections).toBe(0);
  });

  it("are asked for once a connection: what was judged is what is connected to", async () => {
    let asked = 0;
    const resolve = async () => (++asked === 1 ? ["127.0.0.1"] : ["127.0.0.2"]);
    const requester = requesterWith(new AddressGuard({ allow: ["127.0.0.1"], resolve }));
    const url = `https://hooks.example.com:${receiver.port}/`;
    // Another name than the certificate's ends it after the connection was made.
    expect((await requester.send(url, secrets, message)).fault).toBe("has a certificate for another name");
    expect(asked).toBe(1);
    expect((await requester.send(url, secrets, message)).fault).toContain("LINEUP_WEBHOOK_ALLOW");
    requester.close();
  });

  it("can be opened by the operator, and no more than was said", async () => {
    const guard = new AddressGuard({ allow: ["127.0.0.1/32", "fd00::/8"] });
    for (const open of ["127.0.0.1", "::ffff:127.0.0.1", "fd12::1", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"]) {
      expect(guard.isOpen(open), open).toBe(true);
    }
    for (const closed of ["127.0.0.2", "10.0.0.1", "fc00::1", "::ffff:10.0.0.1", "", "no address"]) {
      expect(guard.isOpen(closed), closed).toBe(false);
    }
    const requester = requesterWith(guard);
    expect(await requester.send(receiver.url, secrets, message)).toMatchObject({ status: 200, fault: null });
    requester.close();
  });
});

it.each([
  ["http://example.com/", "must begin with https://"],
  ["ftp://example.com/", "must begin with https://"],
  ["https://example.com:0/", "must not name port 0"],
  ["https://user:password@example.com/", "must hold no user or password"],
  ["example.com", "is not a URL"],
  ["https://", "is not a URL"],
])("refuses the URL %s", (url, fault) => {
  expect(new AddressGuard().findFault(url)).toContain(fault);
});
