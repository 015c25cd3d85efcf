/** Every action of what staff keep, once, in an order in which each can be done. */
import { expect } from "vitest";
import type { Staff } from "./staff.ts";

const DAY_MS = 86_400_000;

export async function keepEverything(staff: Staff, now: number): Promise<void> {
  const team = await staff.do("createTeam", undefined, { name: "Alpha", game: "LoL" });
  const player = await staff.do("createPlayer", undefined, {
    ign: "Vex",
    role: "Mid",
    teamId: team.id,
    joinDate: now - DAY_MS,
  });
  await keepRoster(staff, player.id, team.id);
  await keepSchedule(staff, team.id, now);
  await keepContracts(staff, player.id, now);
  await keepProspects(staff, team.id, now);
  const seen = await staff.do("getPlayer", player.id);
  const changed = await staff.do("updatePlayer", player.id, { updatedAt: seen.updatedAt, ign: "Vexx" });
  expect((await staff.do("listPlayers")).items.map(({ ign }) => ign)).toContain("Vexx");
  const goes = await staff.do("previewPlayerDeletion", player.id);
  expect(goes.deletes).toContainEqual({ kind: "contract", count: 1 });
  await staff.do("deletePlayer", player.id, { updatedAt: changed.updatedAt });
  await keepTeams(staff, team.id);
}

async function keepTeams(staff: Staff, usedId: string): Promise<void> {
  const { updatedAt } = await staff.do("getTeam", usedId);
  await staff.do("updateTeam", usedId, { updatedAt, name: "Alpha 2", status: "inactive" });
  const other = await staff.do("createTeam", undefined, { name: "Beta", game: "CS2" });
  expect((await staff.do("listTeams")).items.map(({ name }) => name)).toEqual(["Alpha 2", "Beta"]);
  expect((await staff.do("previewTeamDeletion", other.id)).refusal).toBeNull();
  await staff.do("deleteTeam", other.id, { updatedAt: other.updatedAt });
}

async function keepRoster(staff: Staff, playerId: string, teamId: string): Promise<void> {
  const [entry] = (await staff.do("listRoster")).items;
  expect(entry).toMatchObject({ playerId, teamId, role: "Mid" });
  const { id, updatedAt } = await staff.do("getAssignment", entry?.id ?? "");
  const starter = await staff.do("updateAssignment", id, { updatedAt, isStarter: false });
  const moved = await staff.do("movePlayer", playerId, { updatedAt: starter.updatedAt, role: "Top" });
  const back = await staff.do("undoMove", playerId, { updatedAt: moved.entry?.updatedAt });
  expect(back.entry).toMatchObject({ id, role: "Mid", isStarter: false });
  expect((await staff.do("listAssignments", playerId)).items.map((one) => one.id)).toEqual([id]);
}

async function keepSchedule(staff: Staff, teamId: string, now: number): Promise<void> {
  const made = await staff.do("createEvent", undefined, { title: "Final", teamId, startsAt: now + DAY_MS });
  const moved = await staff.do("moveEvent", made.id, { updatedAt: made.updatedAt, startsAt: now + 2 * DAY_MS });
  const postponed = await staff.do("postponeEvent", made.id, { updatedAt: moved.updatedAt });
  const again = await staff.do("moveEvent", made.id, { updatedAt: postponed.updatedAt, startsAt: now + 3 * DAY_MS });
  const result = { own: 2, opponent: 1 };
  const completed = await staff.do("completeEvent", made.id, { updatedAt: again.updatedAt, result });
  const titled = await staff.do("updateEvent", made.id, { updatedAt: completed.updatedAt, title: "Grand final" });
  const other = await staff.do("createEvent", undefined, { title: "Practice", startsAt: now });
  await staff.do("cancelEvent", other.id, { updatedAt: other.updatedAt });
  expect((await staff.do("getEvent", other.id)).status).toBe("cancelled");
  expect((await staff.do("listSchedule")).items).toEqual([]);
  expect((await staff.do("previewEventDeletion", made.id)).refusal).toBeNull();
  await staff.do("deleteEvent", made.id, { updatedAt: titled.updatedAt });
}

async function keepContracts(staff: Staff, playerId: string, now: number): Promise<void> {
  const terms = { playerId, startDate: now - DAY_MS, endDate: now + DAY_MS };
  const made = await staff.do("createContract", undefined, terms);
  const signed = await staff.do("signContract", made.id, { updatedAt: made.updatedAt });
  const renewed = await staff.do("renewContract", made.id, { updatedAt: signed.updatedAt, endDate: null });
  expect(renewed).toMatchObject({ playerId, status: "draft", startDate: terms.endDate });
  const noted = await staff.do("updateContract", made.id, { updatedAt: signed.updatedAt, noticePeriodDays: 30 });
  await staff.do("terminateContract", made.id, { updatedAt: noted.updatedAt });
  expect((await staff.do("getContract", made.id)).status).toBe("terminated");
  expect((await staff.do("listContracts")).items.length).toBe(2);
  await staff.do("previewContractDeletion", renewed.id);
  await staff.do("deleteContract", renewed.id, { updatedAt: renewed.updatedAt });
}

async function keepProspects(staff: Staff, teamId: string, now: number): Promise<void> {
  const made = await staff.do("createProspect", undefined, { ign: "Nyx", game: "LoL", role: "Top", notes: "One\nTwo" });
  const offered = await staff.do("updateProspect", made.id, { updatedAt: made.updatedAt, stage: "offered" });
  const contract = { startDate: now, endDate: now + 400 * DAY_MS, status: "active" };
  const signed = await staff.do("signProspect", made.id, { updatedAt: offered.updatedAt, teamId, contract });
  expect(signed).toMatchObject({ stage: "signed", playerId: expect.stringMatching(/^player_/) });
  expect((await staff.do("listProspects")).items).toEqual([await staff.do("getProspect", made.id)]);
  expect((await staff.do("previewProspectDeletion", made.id)).deletes).toEqual([]);
  await staff.do("deleteProspect", made.id, { updatedAt: signed.updatedAt });
}
