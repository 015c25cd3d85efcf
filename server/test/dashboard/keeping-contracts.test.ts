/** What staff do to contracts: the steps, what each sets of the player, and when time is to tell of them. */
import type { Contract } from "@lineup/api/contracts";
import type { ContractStatus } from "@lineup/api/players";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importInto } from "../../src/transfer/import.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeOrg } from "../test-server.ts";
import { runSql } from "../test-store.ts";
import { join, makeWorld, type World } from "./dashboard-world.ts";
import { Staff } from "./staff.ts";

const DAY_MS = 86_400_000;
const clock = new ManualClock(Date.now());
let world: World;
let staff: Staff;
let playerId: string;

beforeAll(async () => {
  world = await makeWorld({ clock });
});
afterAll(() => world?.stop());
beforeEach(async () => {
  const orgId = await makeOrg(world.server);
  await join(world.server, orgId, world.userIds.manager, "manager");
  staff = new Staff(world, world.visitors.manager, orgId, () => clock.wallMs());
  playerId = (await staff.do("createPlayer", undefined, { ign: "Vex", role: "Player" })).id;
});

const inDays = (days: number) => clock.wallMs() + days * DAY_MS;
const newContract = (more: object = {}) =>
  staff.do("createContract", undefined, { playerId, startDate: inDays(-100), endDate: inDays(100), ...more });
const statusOf = async () => (await staff.do("getPlayer", playerId)).contractStatus;
const fieldsOf = (reply: { body: { error: { details?: { field: string }[] } } }) =>
  (reply.body.error.details ?? []).map(({ field }) => field);

async function clockRows() {
  const rows = await runSql(
    world.server.dataDir,
    "SELECT contract_id, days, due_at, end_date FROM contract_clock WHERE org_id = ? ORDER BY contract_id",
    staff.orgId,
  );
  return rows.map((row) => ({
    id: row.contract_id,
    days: Number(row.days),
    dueAt: Number(row.due_at),
    end: Number(row.end_date),
  }));
}

async function setStatus(contractStatus: ContractStatus): Promise<void> {
  const { updatedAt } = await staff.do("getPlayer", playerId);
  await staff.do("updatePlayer", playerId, { updatedAt, contractStatus });
}

describe("the player's contractStatus", () => {
  const CASES: readonly (readonly [from: ContractStatus, contract: Contract["status"], to: ContractStatus])[] = [
    ["unsigned", "draft", "in_negotiation"],
    ["expired", "pending", "in_negotiation"],
    ["active", "draft", "active"],
    ["unsigned", "active", "active"],
    ["active", "terminated", "terminated"],
    ["active", "expired", "expired"],
  ];

  it.each(CASES)("%s becomes, by a contract that is made %s, %s", async (from, status, to) => {
    if (from !== "unsigned") await setStatus(from);
    await newContract({ status });
    expect(await statusOf()).toBe(to);
  });

  it("follows each step in the same transaction, with a note where the step is unusual", async () => {
    const made = await newContract();
    const signed = await staff.do("signContract", made.id, { updatedAt: made.updatedAt });
    expect([signed.status, signed.signedAt, await statusOf()]).toEqual(["active", clock.wallMs(), "active"]);
    const edited = await staff.do("updateContract", made.id, { updatedAt: signed.updatedAt, autoRenew: true });
    const { updatedAt } = edited;
    const ended = await staff.do("terminateContract", made.id, { updatedAt, terminatedAt: inDays(-1) });
    expect([ended.status, ended.terminatedAt, await statusOf()]).toEqual(["terminated", inDays(-1), "terminated"]);
    const again = await newContract({ status: "active" });
    const notes = await runSql(
      world.server.dataDir,
      "SELECT note FROM audit WHERE target_id = ? ORDER BY seq",
      playerId,
    );
    expect(notes.map(({ note }) => note)).toEqual([
      null,
      null,
      null,
      null,
      "unusual step of contractStatus: terminated to active",
    ]);
    await staff.do("deleteContract", again.id, { updatedAt: again.updatedAt });
    expect(await statusOf()).toBe("terminated");
  });

  it("stays active while another contract is, and goes back with one that was a mistake", async () => {
    const first = await newContract({ status: "active" });
    const second = await newContract({ status: "active" });
    await staff.do("terminateContract", first.id, { updatedAt: first.updatedAt });
    expect(await statusOf()).toBe("active");
    expect((await staff.do("previewContractDeletion", second.id)).changes).toEqual([{ kind: "player", count: 1 }]);
    await staff.do("deleteContract", second.id, { updatedAt: second.updatedAt });
    expect(await statusOf()).toBe("terminated");
    const { updatedAt } = await staff.do("getContract", first.id);
    await staff.do("deleteContract", first.id, { updatedAt });
    expect(await statusOf()).toBe("unsigned");
  });
});

describe("a step", () => {
  it("is refused where the contract is not in a state for it, and says what to do", async () => {
    const active = await newContract({ status: "active" });
    const draft = await newContract();
    const ended = await newContract({ status: "active", endDate: inDays(-1) });
    const of = ({ updatedAt }: { updatedAt: number }, more: object = {}) => ({ updatedAt, ...more });
    const current = await staff.do("getContract", ended.id);
    expect(fieldsOf(await staff.refused("signContract", active.id, of(active)))).toEqual(["status"]);
    const over = await staff.refused("signContract", ended.id, of(current));
    expect(over.body.error.message).toContain("status is expired");
    expect(fieldsOf(await staff.refused("terminateContract", draft.id, of(draft)))).toEqual(["status"]);
    expect(fieldsOf(await staff.refused("terminateContract", ended.id, of(current)))).toEqual(["status"]);
    expect(fieldsOf(await staff.refused("renewContract", draft.id, of(draft, { endDate: null })))).toEqual(["status"]);
    const later = { terminatedAt: inDays(1) };
    expect(fieldsOf(await staff.refused("terminateContract", active.id, of(active, later)))).toEqual(["terminatedAt"]);
    const early = { terminatedAt: active.startDate - 1 };
    expect(fieldsOf(await staff.refused("terminateContract", active.id, of(active, early)))).toEqual(["terminatedAt"]);
    const ahead = await newContract({ status: "pending", startDate: inDays(1) });
    expect(fieldsOf(await staff.refused("terminateContract", ahead.id, of(ahead)))).toEqual(["terminatedAt"]);
    const open = await newContract({ status: "active", endDate: null });
    expect(fieldsOf(await staff.refused("renewContract", open.id, of(open, { endDate: null })))).toEqual(["endDate"]);
    const short = { endDate: inDays(99) };
    expect(fieldsOf(await staff.refused("renewContract", active.id, of(active, short)))).toEqual(["endDate"]);
    expect(fieldsOf(await staff.refused("updateContract", active.id, of(active, { playerId })))).toEqual(["playerId"]);
  });

  it("renew makes a contract from the end of the old, with its terms", async () => {
    const old = await newContract({ status: "active", kind: "staff", noticePeriodDays: 30, externalIds: { erp: "1" } });
    const renewed = await staff.do("renewContract", old.id, {
      updatedAt: old.updatedAt,
      endDate: inDays(400),
      status: "active",
    });
    expect(renewed).toMatchObject({
      ...{ playerId, kind: "staff", noticePeriodDays: 30, startDate: old.endDate, endDate: inDays(400) },
      ...{ status: "active", signedAt: clock.wallMs(), externalIds: {} },
    });
    expect(await staff.do("getContract", old.id)).toEqual(old);
  });
});

describe("the clock", () => {
  it("has the next moment of every active contract that ends, and of no other", async () => {
    const made = await newContract();
    expect(await clockRows()).toEqual([]);
    const signed = await staff.do("signContract", made.id, { updatedAt: made.updatedAt });
    const end = inDays(100);
    expect(await clockRows()).toEqual([{ id: made.id, days: 90, dueAt: inDays(10), end }]);
    let { updatedAt } = signed;
    for (const [days, notice] of [
      [90, 60],
      [61, 60],
      [60, 30],
      [8, 7],
      [7, 0],
    ] as const) {
      const endDate = inDays(days);
      ({ updatedAt } = await staff.do("updateContract", made.id, { updatedAt, endDate }));
      const dueAt = endDate - notice * DAY_MS;
      expect(await clockRows()).toEqual([{ id: made.id, days: notice, dueAt, end: endDate }]);
    }
    ({ updatedAt } = await staff.do("updateContract", made.id, { updatedAt, endDate: null }));
    expect(await clockRows()).toEqual([]);
    ({ updatedAt } = await staff.do("updateContract", made.id, { updatedAt, endDate: inDays(5) }));
    expect((await clockRows()).length).toBe(1);
    await staff.do("terminateContract", made.id, { updatedAt });
    expect(await clockRows()).toEqual([]);
  });

  it("is not set past a notice that is due by a change of something else, and goes with its contract", async () => {
    const made = await newContract({ status: "active" });
    const before = await clockRows();
    clock.advance(11 * DAY_MS);
    const { updatedAt } = await staff.do("updateContract", made.id, { updatedAt: made.updatedAt, autoRenew: true });
    expect(await clockRows()).toEqual(before);
    await staff.do("deleteContract", made.id, { updatedAt });
    expect(await clockRows()).toEqual([]);
  });

  it("is set by imports, and filled for contracts that were there before it", async () => {
    const { store } = world.server;
    const contracts = [
      { externalId: "a", player: playerId, startDate: 1, endDate: inDays(40), status: "active" },
      { externalId: "b", player: playerId, startDate: 1, endDate: inDays(40), status: "draft" },
      { externalId: "c", player: playerId, startDate: 1, endDate: 2, status: "active" },
    ];
    const now = () => clock.wallMs();
    await importInto(store, staff.orgId, { tables: { contracts } }, { origin: TEST_ORIGIN, now });
    expect(await clockRows()).toMatchObject([{ days: 30, dueAt: inDays(10) }]);
    const ended = [{ externalId: "a", status: "terminated" }];
    await importInto(store, staff.orgId, { tables: { contracts: ended } }, { origin: TEST_ORIGIN, now });
    expect(await clockRows()).toEqual([]);
  });
});

describe("signing a prospect", () => {
  it("makes the player with team, role and contract at once, or nothing at all", async () => {
    const team = await staff.do("createTeam", undefined, { name: "Alpha", game: "LoL" });
    const prospect = await staff.do("createProspect", undefined, {
      ign: "Nyx",
      realName: "N.",
      game: "LoL",
      nationality: "SE",
    });
    const { updatedAt } = prospect;
    expect(fieldsOf(await staff.refused("signProspect", prospect.id, { updatedAt }))).toEqual(["role"]);
    const wrong = { updatedAt, teamId: team.id, role: "Top", contract: { startDate: 2, endDate: 1 } };
    expect(fieldsOf(await staff.refused("signProspect", prospect.id, wrong))).toEqual(["endDate"]);
    const { seq } = await staff.look();
    const signed = await staff.do("signProspect", prospect.id, {
      ...wrong,
      contract: { startDate: 1, endDate: inDays(91), status: "active" },
    });
    expect(await staff.toldSince(seq)).toEqual([
      "prospect.updated",
      ...["player.created", "assignment.created", "team.updated", "contract.created"],
    ]);
    const player = await staff.do("getPlayer", signed.playerId ?? "");
    expect(player).toMatchObject({ ign: "Nyx", realName: "N.", nationality: "SE", role: "Top", teamId: team.id });
    expect(player.contractStatus).toBe("active");
    expect((await staff.do("listContracts")).items).toMatchObject([{ playerId: player.id, teamId: team.id }]);
    expect(await clockRows()).toMatchObject([{ days: 90 }]);
    const again = { updatedAt: signed.updatedAt, role: "Player" };
    expect((await staff.refused("signProspect", prospect.id, again)).code).toBe("CONFLICT");
  });
});
