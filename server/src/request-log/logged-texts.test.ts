import { describe, expect, it } from "vitest";
import { makeRecord } from "../../test/request-log/logged-requests.ts";
import { makeKey } from "../access/key-format.ts";
import { loggedTarget, toStored } from "./logged-texts.ts";
import type { RequestRecord } from "./request-record.ts";

const PREFIX = "/api/public/v1";
const key = makeKey();
const shown = key.slice(0, 16);
const TOKEN = "gIJpS7BASrgDPxkocZ4C6Sn2B9XFAqQ9HwgiA2GGW5E";

describe("the logged target", () => {
  it("is path and query under the prefix, as they were sent", () => {
    expect(loggedTarget(`${PREFIX}/players?status=active&search=%C3%A9`)).toBe("/players?status=active&search=%C3%A9");
    expect(loggedTarget(PREFIX)).toBe("/");
    expect(loggedTarget("/api/public/%761/players?a=%2Fb")).toBe("/players?a=%2Fb");
  });

  it.each([
    ["in the query", `${PREFIX}/players?key=${key}`],
    ["in the path", `${PREFIX}/players/${key}`],
    ["percent-encoded in part", `${PREFIX}/players?key=${key.replaceAll("_", "%5F")}`],
    ["percent-encoded wholly", `${PREFIX}/players?key=${[...key].map(encoded).join("")}`],
    ["percent-encoded twice", `${PREFIX}/players?key=${[...key].map(encoded).join("").replaceAll("%", "%25")}`],
    ["twice, once encoded", `${PREFIX}/players?a=${key}&b=${key.replaceAll("_", "%5f")}`],
    ["beside what is wrongly encoded", `${PREFIX}/players?a=%zz%&b=${key.replaceAll("_", "%5f")}`],
    ["across the end of what is logged", `${PREFIX}/players?a=${"x".repeat(470)}${key}`],
    ["with more letters behind it", `${PREFIX}/players?a=${key}${key}`],
    ["broken by the end of a line", `${PREFIX}/players?a=${key.slice(0, 20)}%0A${key.slice(20)}`],
    ["broken by a hyphen", `${PREFIX}/players?a=${key.slice(0, 20)}-${key.slice(20)}`],
    ["broken by what is not seen", `${PREFIX}/players?a=${key.slice(0, 20)}%E2%80%8B${key.slice(20)}`],
    ["broken right behind its prefix", `${PREFIX}/players?a=${key.slice(0, 12)}+${key.slice(12)}`],
    ["percent-encoded six times", `${PREFIX}/players?a=${key.replaceAll("_", `%${"25".repeat(5)}5F`)}`],
    ["percent-encoded more often than is looked", `${PREFIX}/players/lineup_live_?a=${deeplyEncoded(30)}`],
    ["before what is encoded so often", `${PREFIX}/players?a=${key}${deeplyEncoded(30)}`],
  ])("holds no key that stood %s", (_, target) => {
    const logged = loggedTarget(target);
    for (let at = 0; at + 6 <= key.length - 16; at++) expect(logged).not.toContain(key.slice(16 + at, 22 + at));
    expect(decodeURIComponent(logged.replaceAll(/%(?![0-9a-f]{2})/gi, ""))).toContain(shown.slice(0, 12));
  });

  it.each([
    ["in the path", `${PREFIX}/calendar/${TOKEN}.ics`],
    ["in the path, after two slashes", `${PREFIX}//Calendar//${TOKEN}.ics?x=1`],
    [
      "percent-encoded in the query",
      `${PREFIX}/players?search=${encodeURIComponent(`http://a/calendar/${TOKEN}.ics`)}`,
    ],
  ])("holds no token of a calendar that stood %s", (_, target) => {
    expect(loggedTarget(target)).toMatch(/\/calendar\/+…/i);
    expect(loggedTarget(target)).not.toContain(TOKEN.slice(0, 8));
  });

  it("is at most 500 characters long and in one line", () => {
    expect(loggedTarget(`${PREFIX}/players?search=${"x".repeat(16_000)}`)).toHaveLength(500);
    expect(loggedTarget(`${PREFIX}/a\u0000b\nc\u202ed\ud800e`)).toBe("/a\ufffdb\ufffdc\ufffdd\ufffde");
    expect(Buffer.byteLength(loggedTarget(`${PREFIX}/${"€".repeat(600)}`))).toBeLessThanOrEqual(1_500);
  });
});

describe("the other texts", () => {
  const stored = (texts: Partial<RequestRecord>) => toStored(makeRecord("org_1", texts));

  it("are short, and hold no key either", () => {
    expect(stored({ userAgent: `curl ${key}`, method: key, address: key })).toMatchObject({
      userAgent: `curl ${shown}…`,
      method: `${shown}…`,
      address: `${shown}…`,
    });
    expect(stored({ userAgent: `Program (http://a/calendar/${TOKEN}.ics)` }).userAgent).toBe(
      "Program (http://a/calendar/…",
    );
    expect(stored({ userAgent: "x".repeat(300) }).userAgent).toHaveLength(200);
    expect(stored({ method: "X".repeat(300) }).method).toHaveLength(20);
    expect(stored({ address: "2001:db8::1" }).address).toBe("2001:db8::1");
    expect([stored({ address: "" }).address, stored({ address: null }).address]).toEqual([null, null]);
  });
});

function deeplyEncoded(times: number): string {
  return key.replaceAll("_", `%${"25".repeat(times)}5F`);
}

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
