import { CHANGE_TYPES } from "@lineup/api/change-types";
import {
  DELIVERY_RETENTION_DAYS,
  DELIVERY_STATES,
  PING_TYPE,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_STATES,
  WEBHOOK_URL_MAX,
  type WebhookView,
} from "@lineup/api/dashboard/webhooks";
import { describe, expect, it } from "vitest";
import { CHANGE_WORDS, KIND_NAMES } from "../texts/create-webhook-texts.ts";
import { makeDeliveriesQuery, readDeliveriesSearch } from "./deliveries-search.ts";
import { RETENTION_DAYS, resolveSince } from "./replay-since.ts";
import { makeSecretLine, VERIFY_LINES } from "./shell-lines.ts";
import { sayLocalTime } from "./time-range.ts";
import { bodyOf, checkWebhook, formOf, groupTypes, NEW_WEBHOOK, sortTypes } from "./webhook-form.ts";
import { nameWebhook } from "./webhook-names.ts";
import {
  DELIVERY_STATE_LOOKS,
  describeRecent,
  explainAttempt,
  listTroubled,
  sayAnswer,
  WEBHOOK_STATE_LOOKS,
} from "./webhook-states.ts";
import { filterWebhooks, readWebhooksSearch } from "./webhooks-search.ts";

const DAY_MS = 86_400_000;
const NOON = new Date(2026, 10, 18, 12).getTime();

function makeWebhook(description: string, more: Partial<WebhookView> = {}): WebhookView {
  return {
    id: `webhook_${description}`,
    url: "https://hooks.example.com/lineup",
    types: null,
    description,
    state: "active",
    failingSince: null,
    disablesAt: null,
    disabledAt: null,
    disabledReason: null,
    previousSecretUntil: null,
    behind: 0,
    waiting: 0,
    recent: [],
    lastAttempt: null,
    createdBy: "Ada",
    createdAt: NOON,
    updatedAt: NOON,
    ...more,
  };
}

it("has a look for every state that the server names", () => {
  expect(Object.keys(WEBHOOK_STATE_LOOKS).sort()).toEqual([...WEBHOOK_STATES].sort());
  expect(Object.keys(DELIVERY_STATE_LOOKS).sort()).toEqual([...DELIVERY_STATES].sort());
});

it("calls a webhook by its description, else by its host", () => {
  expect(nameWebhook(makeWebhook("Bot"))).toBe("Bot");
  expect(nameWebhook(makeWebhook("", { url: "https://a.example:8443/x?secret=1" }))).toBe("a.example:8443");
});

describe("webhooks that need somebody", () => {
  const failingSince = NOON - 7 * DAY_MS;
  const attempt = { at: NOON, status: 500, durationMs: 1, fault: "answered 500" };

  it("are those that fail, and those that were disabled because they did", () => {
    const webhooks = [
      makeWebhook("healthy"),
      makeWebhook("failing", { state: "failing", failingSince: NOON }),
      makeWebhook("given up", { state: "disabled", failingSince, disabledAt: failingSince + 5 * DAY_MS }),
      makeWebhook("gone", {
        state: "disabled",
        failingSince: NOON,
        disabledAt: NOON,
        lastAttempt: { ...attempt, status: 410 },
      }),
    ];
    expect(listTroubled(webhooks).map(({ description }) => description)).toEqual(["failing", "given up", "gone"]);
  });

  it("are not those that a person disabled, whether they failed or not", () => {
    const failed = {
      state: "disabled",
      failingSince,
      disabledAt: failingSince + DAY_MS,
      lastAttempt: attempt,
    } as const;
    expect(
      listTroubled([makeWebhook("off", { state: "disabled", disabledAt: NOON }), makeWebhook("x", failed)]),
    ).toEqual([]);
  });
});

describe("an attempt in words", () => {
  it("is its status and duration, or that no answer came", () => {
    expect(sayAnswer({ status: 204, durationMs: 84 })).toBe("204 in 84 ms");
    expect(sayAnswer({ status: null, durationMs: 15_000 })).toBe("No answer in 15 s");
  });

  it("says what was wrong and what to do about it, whatever the status", () => {
    expect(explainAttempt({ status: 200, fault: null })).toBeNull();
    expect(explainAttempt({ status: null, fault: "refused the connection" })).toMatch(
      /^The endpoint refused the connection\. Check the address/,
    );
    const advice = (status: number) => explainAttempt({ status, fault: `answered ${status}` });
    expect(advice(401)).toContain("put the secret into it");
    expect(advice(404)).toContain("Check the path");
    expect(advice(308)).toContain("final address");
    expect(advice(410)).toContain("disabled");
    expect(advice(503)).toContain("tried again later");
    expect(advice(500)).toContain("own log");
    expect(advice(418)).toContain("200 to 299");
  });

  it("counts the latest deliveries by how they stand", () => {
    expect(describeRecent([])).toBe("Nothing was sent yet");
    expect(describeRecent(["delivered", "failed", "waiting", "delivered"])).toBe(
      "Of the latest 4 deliveries: 2 delivered, 1 waiting, 1 given up",
    );
  });
});

describe("the list of webhooks", () => {
  const webhooks = [
    makeWebhook("off", { state: "disabled" }),
    makeWebhook("bot", { types: ["schedule.created"], url: "https://bot.example" }),
    makeWebhook("site", { state: "failing" }),
  ];
  const namesOf = (search: Parameters<typeof filterWebhooks>[1]) =>
    filterWebhooks(webhooks, search).map(({ description }) => description);

  it("shows disabled ones last, and finds by every word: address, type, person", () => {
    expect(namesOf({})).toEqual(["bot", "site", "off"]);
    expect(namesOf({ q: "ADA schedule. bot.ex" })).toEqual(["bot"]);
    expect(namesOf({ state: "failing" })).toEqual(["site"]);
    expect(namesOf({ state: "failing", q: "bot" })).toEqual([]);
  });

  it("takes from the address only what it knows", () => {
    expect(readWebhooksSearch({ q: " bot ", state: "failing" })).toEqual({ q: "bot", state: "failing" });
    expect(readWebhooksSearch({ state: "sleeping" })).toEqual({});
  });
});

describe("what is asked of a webhook", () => {
  const faultsOf = (more: Partial<typeof NEW_WEBHOOK>) =>
    Object.entries(checkWebhook({ ...NEW_WEBHOOK, url: "https://a.example", ...more })).flatMap(([field, fault]) =>
      fault === null ? [] : field,
    );

  it("refuses an address that is none, not https or too long, and says which", () => {
    expect(faultsOf({})).toEqual([]);
    for (const url of [
      "",
      "a.example",
      "ftp://a.example",
      "https://",
      `https://a.example/${"x".repeat(WEBHOOK_URL_MAX)}`,
    ]) {
      expect(faultsOf({ url }), url).toEqual(["url"]);
    }
    expect(checkWebhook({ ...NEW_WEBHOOK, url: "http://a.example" }).url).toContain("Begin the address with https://");
  });

  it("refuses a description that is too long, and no types at all", () => {
    expect(faultsOf({ description: "x".repeat(WEBHOOK_DESCRIPTION_MAX) })).toEqual([]);
    expect(faultsOf({ description: "x".repeat(WEBHOOK_DESCRIPTION_MAX + 1) })).toEqual(["description"]);
    expect(faultsOf({ isAll: false })).toEqual(["types"]);
  });

  it("sends null for all types, and comes back from what is stored", () => {
    const stored = makeWebhook("Bot", { types: ["team.created"] });
    expect(bodyOf(formOf(stored))).toEqual({ url: stored.url, description: "Bot", types: ["team.created"] });
    expect(bodyOf({ ...formOf(stored), isAll: true, url: " https://b.example " })).toMatchObject({
      types: null,
      url: "https://b.example",
    });
  });

  it("has words for every type, each in one group, in the order of the list", () => {
    expect([...groupTypes().values()].flat()).toEqual(CHANGE_TYPES);
    for (const type of CHANGE_TYPES) {
      const [kind = "", change = ""] = type.split(".");
      expect([type, KIND_NAMES[kind], CHANGE_WORDS[change]]).not.toContain(undefined);
    }
    expect(sortTypes(["contract.expired", "player.created"])).toEqual(["player.created", "contract.expired"]);
  });
});

describe("which deliveries are shown", () => {
  it("is what the address says, as far as it makes sense", () => {
    const search = readDeliveriesSearch({ state: "waiting", type: PING_TYPE, range: "1h", from: "5" });
    expect(makeDeliveriesQuery(search, NOON)).toEqual({
      state: "waiting",
      type: PING_TYPE,
      from: String(NOON - 3_600_000),
    });
    expect(readDeliveriesSearch({ state: "lost", type: "player.eaten", from: "x" })).toEqual({});
  });
});

describe("from when changes are sent again", () => {
  const from = (choice: Parameters<typeof resolveSince>[0], more: { typed?: string; trouble?: number | null } = {}) =>
    resolveSince(choice, { typed: "", trouble: null, now: NOON, ...more });

  it("is so long ago, the beginning of the trouble, or a moment that was typed", () => {
    expect(RETENTION_DAYS).toBe(DELIVERY_RETENTION_DAYS);
    expect(from("24h")).toBe(NOON - DAY_MS);
    expect(from("trouble", { trouble: NOON - 3 * DAY_MS })).toBe(NOON - 3 * DAY_MS);
    expect(from("moment", { typed: sayLocalTime(NOON - 60_000) })).toBe(NOON - 60_000);
  });

  it("reaches no further back than changes are kept, and never ahead", () => {
    expect(from("moment", { typed: sayLocalTime(NOON - 31 * DAY_MS) })).toBeUndefined();
    expect(from("moment", { typed: sayLocalTime(NOON + 60_000) })).toBeUndefined();
    expect(from("moment")).toBeUndefined();
  });
});

it("shows the secret and how to verify with it under one name", () => {
  expect(makeSecretLine("whsec_x")).toBe("LINEUP_WEBHOOK_SECRET=whsec_x");
  expect(VERIFY_LINES).toContain("process.env.LINEUP_WEBHOOK_SECRET");
});
