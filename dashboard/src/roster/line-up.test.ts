import { describe, expect, test } from "vitest";
import { type DropTarget, planDrop, roleWithoutTeam } from "./drop-plan.ts";
import { type ColumnTeam, findLineUpFaults, lineUpOf, makeColumns, type RosterCard } from "./line-up.ts";

const LOL: ColumnTeam = { id: "team_lol", name: "Northlight", game: "LoL", status: "active" };
const ACADEMY: ColumnTeam = { id: "team_academy", name: "Northlight Academy", game: "LoL", status: "active" };
const NOW = 10;
const CS2: ColumnTeam = { id: "team_cs2", name: "Southlight", game: "CS2", status: "active" };

function card(ign: string, role: string, rest: Partial<RosterCard> = {}): RosterCard {
  const who = {
    playerId: `player_${ign}`,
    assignmentId: `assignment_${ign}`,
    ign,
    sortName: ign.toLowerCase(),
    realName: "",
    role,
  };
  const flags = { isStarter: true, isCaptain: false, status: "active", kind: "player" } as const;
  return { ...who, ...flags, teamId: LOL.id, since: 1, updatedAt: 2, ...rest };
}

describe("a column", () => {
  test("has starters by role, then by name, and substitutes and staff apart from them", () => {
    const [column = { team: LOL, cards: [] }] = makeColumns(
      [LOL],
      [
        card("Nix", "Support"),
        card("Coachy", "Coach", { kind: "staff", isStarter: false }),
        card("vex", "Mid"),
        card("Abel", "Mid"),
        card("Low", "Top", { isStarter: false }),
        card("Elsewhere", "Top", { teamId: CS2.id }),
      ],
    );
    const { sections, faults } = lineUpOf(column, NOW);
    const names = (cards: readonly RosterCard[]) => cards.map(({ ign }) => ign);
    expect(names(sections.starters)).toEqual(["Abel", "vex", "Nix"]);
    expect(names(sections.substitutes)).toEqual(["Low"]);
    expect(names(sections.staff)).toEqual(["Coachy"]);
    expect(faults).toEqual({ missing: ["Top", "Jungle", "ADC"], doubled: ["Mid"] });
  });

  test("counts nobody who joins only later, and has them in their section already", () => {
    const captain = { isCaptain: true };
    const cards = [card("Vex", "Mid", captain), card("Nix", "Mid", { ...captain, since: NOW + 1 })];
    const { sections, starters, faults } = lineUpOf({ team: LOL, cards }, NOW);
    expect([sections.starters.length, starters, faults.doubled]).toEqual([2, 1, []]);
    expect(lineUpOf({ team: LOL, cards }, NOW + 1).faults.doubled).toEqual(["Mid", "Captain"]);
  });

  test("stands there for a team that nobody is in, and in the order of the teams", () => {
    const columns = makeColumns([CS2, LOL], [card("Vex", "Mid")]);
    expect(columns.map(({ team }) => team.id)).toEqual([CS2.id, LOL.id]);
    expect(columns[0]?.cards).toEqual([]);
  });

  test("is the same one while nobody in it changes, no matter who moves elsewhere", () => {
    const [vex, nix] = [card("Vex", "Mid"), card("Nix", "Support", { teamId: CS2.id })];
    const before = makeColumns([LOL, CS2], [vex, nix]);
    const after = makeColumns([LOL, CS2], [vex, { ...nix, role: "IGL" }], before);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    expect(after[1]?.cards[0]?.role).toBe("IGL");
  });
});

describe("faults of a line-up", () => {
  const starters = (...roles: string[]) => roles.map((role) => ({ role }));

  test.each([
    ["LoL", ["Top", "Jungle", "Mid", "ADC", "Support"], [], []],
    ["LoL", [], ["Top", "Jungle", "Mid", "ADC", "Support"], []],
    ["LoL", ["Top", "Top", "Mid", "ADC", "Support"], ["Jungle"], ["Top"]],
    ["LoL", ["Substitute", "Jungle", "Mid", "ADC", "Support"], ["Top"], []],
    ["CS2", ["Rifler", "Rifler", "AWPer", "AWPer", "IGL"], [], ["AWPer"]],
    ["Valorant", ["Duelist", "Duelist", "IGL", "IGL"], [], ["IGL"]],
    ["Other", ["Captain", "Captain", "Player", "Player"], [], ["Captain"]],
    ["Other", [], [], []],
  ] as const)("%s with %j: missing %j, doubled %j", (game, roles, missing, doubled) => {
    expect(findLineUpFaults(game, starters(...roles))).toEqual({ missing, doubled });
  });
});

test("two captains are one too many, whatever their game and wherever they stand", () => {
  const captain = { isCaptain: true };
  const coach = card("Coachy", "Coach", { kind: "staff", isStarter: false, ...captain });
  const faultsOf = (...cards: RosterCard[]) => lineUpOf({ team: CS2, cards }, NOW).faults.doubled;
  expect(faultsOf(card("Vex", "Rifler", captain), card("Nix", "Rifler"))).toEqual([]);
  expect(faultsOf(card("Vex", "Rifler", captain), coach)).toEqual(["Captain"]);
  expect(faultsOf(card("Vex", "IGL", captain), card("Nix", "IGL", captain))).toEqual(["IGL", "Captain"]);
});

describe("a drop", () => {
  const drop = (dropped: RosterCard, target: DropTarget, game = LOL.game) => planDrop(dropped, game, target);

  test("on its own team or section changes nothing", () => {
    expect(drop(card("Vex", "Mid"), { team: LOL })).toEqual({ does: "nothing" });
    expect(drop(card("Vex", "Mid"), { team: LOL, section: "starters" })).toEqual({ does: "nothing" });
    expect(drop(card("Vex", "Player", { teamId: null }), { team: null }, "Other")).toEqual({ does: "nothing" });
  });

  test("on another section of its team changes who starts, without a move", () => {
    const benched = drop(card("Vex", "Mid"), { team: LOL, section: "substitutes" });
    expect(benched).toEqual({ does: "line-up", isStarter: false });
    const back = drop(card("Vex", "Mid", { isStarter: false }), { team: LOL, section: "starters" });
    expect(back).toEqual({ does: "line-up", isStarter: true });
  });

  test("on another team of its game moves at once, with the role it has", () => {
    expect(drop(card("Vex", "Mid"), { team: ACADEMY })).toEqual({
      does: "move",
      to: { teamId: ACADEMY.id, role: "Mid" },
    });
    expect(drop(card("Vex", "Mid"), { team: ACADEMY, section: "substitutes" })).toEqual({
      does: "move",
      to: { teamId: ACADEMY.id, role: "Mid", isStarter: false },
    });
  });

  test("asks where the game is another, even if it has a role of that name", () => {
    const asked = { does: "ask", teamId: CS2.id, section: undefined };
    expect(drop(card("Nix", "Support"), { team: CS2 })).toEqual(asked);
    expect(drop(card("Free", "Player", { teamId: null }), { team: CS2 }, "Other")).toEqual(asked);
  });

  test("asks where a player becomes staff, or staff a player", () => {
    const asked = (section: string) => ({ does: "ask", teamId: LOL.id, section });
    expect(drop(card("Vex", "Mid"), { team: LOL, section: "staff" })).toEqual(asked("staff"));
    const coach = card("Cole", "Coach", { kind: "staff", isStarter: false });
    expect(drop(coach, { team: LOL, section: "starters" })).toEqual(asked("starters"));
  });

  test("on those without a team takes the player out, with a role that one has without a team", () => {
    expect(drop(card("Vex", "Mid"), { team: null })).toEqual({ does: "move", to: { teamId: null, role: "Player" } });
    expect(roleWithoutTeam("Coach")).toBe("Coach");
    expect(roleWithoutTeam("Substitute")).toBe("Substitute");
  });
});
