import { expect, test } from "vitest";
import {
  alertOf,
  type DecidedContract,
  findNextContract,
  listDecisions,
  noticeDeadlineOf,
  statusAt,
} from "./contract-decisions.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const DAY = 86_400_000;

let made = 0;
function contract(fields: Partial<DecidedContract>): DecidedContract {
  made += 1;
  return {
    id: `contract_${made}`,
    playerId: `player_${made}`,
    status: "active",
    startDate: NOW - 300 * DAY,
    endDate: null,
    noticePeriodDays: null,
    ...fields,
  };
}

test.each([
  [1, 30],
  [30 * DAY, 30],
  [30 * DAY + 1, 60],
  [60 * DAY, 60],
  [90 * DAY, 90],
  [90 * DAY + 1, null],
  [0, null],
  [-DAY, null],
])("an active contract that ends in %d ms has come to the alert of %s days", (left, alert) => {
  expect(alertOf({ status: "active", endDate: NOW + left }, NOW)).toBe(alert);
});

test("only active contracts with an end are told of", () => {
  for (const status of ["draft", "pending", "expired", "terminated"] as const) {
    expect(alertOf({ status, endDate: NOW + DAY }, NOW)).toBeNull();
  }
  expect(alertOf({ status: "active", endDate: null }, NOW)).toBeNull();
});

test("an active contract is over from the moment of its end on", () => {
  expect(statusAt({ status: "active", endDate: NOW }, NOW)).toBe("expired");
  expect(statusAt({ status: "active", endDate: NOW + 1 }, NOW)).toBe("active");
  expect(statusAt({ status: "pending", endDate: NOW - DAY }, NOW)).toBe("pending");
});

test("notice is due as many days before the end as the contract says", () => {
  expect(noticeDeadlineOf({ endDate: NOW, noticePeriodDays: 30 })).toBe(NOW - 30 * DAY);
  expect(noticeDeadlineOf({ endDate: NOW, noticePeriodDays: 0 })).toBe(NOW);
  expect(noticeDeadlineOf({ endDate: null, noticePeriodDays: 30 })).toBeNull();
  expect(noticeDeadlineOf({ endDate: NOW, noticePeriodDays: null })).toBeNull();
});

test("lists what ends soon and what should have begun, the most urgent first", () => {
  const late = contract({ endDate: NOW + 80 * DAY });
  const notice = contract({ endDate: NOW + 70 * DAY, noticePeriodDays: 60 });
  const noticePassed = contract({ endDate: NOW + 20 * DAY, noticePeriodDays: 60 });
  const unsigned = contract({ status: "draft", startDate: NOW - DAY });
  const others = [
    contract({ endDate: NOW + 91 * DAY }),
    contract({}),
    contract({ status: "pending", startDate: NOW + 1 }),
    contract({ status: "expired", endDate: NOW - DAY }),
    contract({ status: "terminated", endDate: NOW + DAY }),
    contract({ endDate: NOW - DAY }),
  ];
  const decisions = listDecisions([late, notice, noticePassed, ...others, unsigned], NOW);
  expect(decisions).toEqual([
    { contract: unsigned, about: "start", dueAt: NOW - DAY, alert: null },
    { contract: notice, about: "end", dueAt: NOW + 10 * DAY, alert: 90 },
    { contract: noticePassed, about: "end", dueAt: NOW + 20 * DAY, alert: 30 },
    { contract: late, about: "end", dueAt: NOW + 80 * DAY, alert: 90 },
  ]);
});

test("nothing is to be decided where the next contract is signed; a draft of it does not suffice", () => {
  const endDate = NOW + 20 * DAY;
  const [one, other] = [contract({ endDate }), contract({ endDate })];
  const next = { startDate: endDate, endDate: endDate + 365 * DAY };
  const signed = contract({ playerId: one.playerId, ...next });
  const draft = contract({ playerId: other.playerId, status: "draft", ...next });
  expect(listDecisions([one, signed, other, draft], NOW).map((found) => found.contract)).toEqual([other]);
});

test("the next contract is the player's first that begins at its end or later, a draft too", () => {
  const one = contract({ endDate: NOW });
  const of = (fields: object) => contract({ playerId: one.playerId, startDate: NOW, ...fields });
  const draft = of({ status: "draft" });
  const others = [
    contract({ startDate: NOW }),
    of({ startDate: NOW - 1 }),
    of({ status: "terminated" }),
    of({ startDate: NOW + DAY }),
  ];
  expect(findNextContract(one, [one, ...others, draft])).toBe(draft);
  expect(findNextContract(contract({ ...one, endDate: null }), [draft])).toBeUndefined();
});
