import { hash } from "node:crypto";
import { TIER_NAMES } from "@lineup/api/tiers";
import { expect, test } from "vitest";
import { POSTGRES_MIGRATIONS } from "./postgres-migrations.ts";
import { MIGRATIONS } from "./sqlite-migrations.ts";

/**
 * The SHA-256 of every step's SQL, in SQLite and in PostgreSQL. A step that stores have taken must stay as it is; a new one adds a line.
 * Where the first one has changed, a resource's definition has: what was added to it belongs into `record-steps.ts`.
 */
const TAKEN_STEPS = [
  [
    "150abb7cf512ec51a6ad25e0929ee6891a93f00c4646452331dcc49036cef1d4",
    "bf90d32205c133c0001d393f439fd90e328893ee752dba2a524f10524e2e2460",
  ],
  [
    "e2030b03598bce5dc8f6e3b981d80a281bb6dfa2d8379bcb68779c68f27d7702",
    "324bb8ad9fe9730635d3b9567afa8e4e724e5dfda7584d5ebd4307e5ff8695ab",
  ],
  [
    "3e5f4ad717ca977faac1bc08962271b861ce2aff78dbcb922e9b833ef86dab4e",
    "980e1a548fc15e1480fde183a2982b38ad376e82527dee3dad9a4a89ff79422e",
  ],
  [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "fbfd369590631a711cd973dc7fefcd8b2657b1d6612009bfc1bcf864b71445eb",
  ],
  [
    "d4d74b1053456eeea59125abefb1f533f0c6637d22fc0e1206f4aa4488051469",
    "b7906ed6fc1eeafd19046c6dfc6b13ed6ca962044a1f504c88549627c4313f5e",
  ],
  [
    "f67c8310dcda188bde9194d616202092bec4dc2615dd95c2088d7577e76fdeb2",
    "7bafd18ee20f5ecf32bfaad529ce6f458f316c85e90cc810aa5894afcb482f09",
  ],
  [
    "3e5fc63a16b84e5a16e287f867e333d45555a9f1a25a0804407ca626901599b8",
    "1951e92f7f3804f3fdcfd7cd98c701ee71fee118fcd2410bc2e5e92bfda3e27e",
  ],
];

test("no step that stores have taken is ever edited, in either database", () => {
  const sums = MIGRATIONS.map(({ sql }, index) => [
    hash("sha256", sql),
    hash("sha256", POSTGRES_MIGRATIONS[index]?.sql ?? ""),
  ]);
  expect(sums).toEqual(TAKEN_STEPS);
});

test("both databases take the same steps", () => {
  expect(POSTGRES_MIGRATIONS.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
});

test("the steps allow every tier", () => {
  expect(MIGRATIONS[0]?.sql).toContain(`IN (${TIER_NAMES.map((value) => `'${value}'`).join(", ")})`);
});
