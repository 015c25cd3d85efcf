import { hash } from "node:crypto";
import { CONTRACT_KINDS, CONTRACT_STATES } from "@lineup/api/contracts";
import { CONTRACT_STATUSES, PLAYER_STATUSES } from "@lineup/api/players";
import { PROSPECT_PRIORITIES, PROSPECT_STAGES } from "@lineup/api/prospects";
import { GAMES } from "@lineup/api/roles";
import { SCHEDULE_KINDS, SCHEDULE_STATUSES } from "@lineup/api/schedule";
import { TEAM_DIVISIONS, TEAM_STATUSES } from "@lineup/api/teams";
import { TIER_NAMES } from "@lineup/api/tiers";
import { expect, test } from "vitest";
import { MIGRATIONS } from "./sqlite-migrations.ts";

/** The SHA-256 of every step's SQL. A step that stores have taken must stay as it is; a new one adds a line. */
const TAKEN_STEPS = [
  "fe8f4d5bb3aaf5e1454199743d94d3c592dd1049b1f30eeb90bed31eabbd018b",
  "e2030b03598bce5dc8f6e3b981d80a281bb6dfa2d8379bcb68779c68f27d7702",
];

test("no step that stores have taken is ever edited", () => {
  expect(MIGRATIONS.map(({ sql }) => hash("sha256", sql))).toEqual(TAKEN_STEPS);
});

test("the steps allow every value that the API knows", () => {
  const sql = MIGRATIONS.map((step) => step.sql).join("\n");
  const lists = [
    TIER_NAMES,
    GAMES,
    TEAM_DIVISIONS,
    TEAM_STATUSES,
    PLAYER_STATUSES,
    CONTRACT_STATUSES,
    SCHEDULE_KINDS,
    SCHEDULE_STATUSES,
    PROSPECT_STAGES,
    PROSPECT_PRIORITIES,
    CONTRACT_KINDS,
    CONTRACT_STATES,
  ];
  for (const values of lists) expect(sql).toContain(`IN (${values.map((value) => `'${value}'`).join(", ")})`);
});
