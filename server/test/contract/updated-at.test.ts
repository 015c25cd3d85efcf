/** `updatedAt`: it moves with every change, never back, and not at all when nothing changes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LooseItem, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

describe.each([
  ["/players", { ign: "Vex", role: "Player", stats: { a: 1, b: 2 }, externalIds: { up: "1" } }],
  ["/prospects", { ign: "Nyx", tags: ["a"], notes: "n", externalIds: { up: "1" } }],
] as const)("updatedAt of %s", (path, body) => {
  const make = async (): Promise<LooseItem> =>
    (await stage.api("POST", path, { ...body, externalIds: { up: String(Math.random()) } })).body.data;
  const patch = async (id: string, changes: object): Promise<LooseItem> =>
    (await stage.api("PATCH", `${path}/${id}`, changes)).body.data;

  it("strictly grows with every change in one and the same millisecond", async () => {
    let { id, updatedAt } = await make();
    const start = stage.clock.wallMs();
    expect(updatedAt).toBe(start);
    for (let index = 0; index < 5; index++) {
      const changed = await patch(id, { realName: `Name ${index}` });
      expect(changed.updatedAt).toBeGreaterThan(updatedAt);
      ({ id, updatedAt } = changed);
    }
    expect(updatedAt).toBe(start + 5);
    expect(stage.clock.wallMs()).toBe(start);
    expect((await stage.api("GET", `${path}/${id}`)).body.data.updatedAt).toBe(updatedAt);
  });

  it("does not go back when the clock does", async () => {
    const { id, updatedAt } = await make();
    stage.clock.jumpWall(-3_600_000);
    expect((await patch(id, { realName: "Earlier" })).updatedAt).toBe(updatedAt + 1);
    stage.clock.jumpWall(3_600_000);
  });

  it("stays, with everything else, when a PATCH says what is there already", async () => {
    const made = await make();
    stage.clock.advance(1_000);
    const { id, createdAt, updatedAt, stageChangedAt, playerId, ...writable } = made;
    expect(await patch(id, writable)).toEqual(made);
    expect(await patch(id, { ign: ` ${made.ign} ` })).toEqual(made);
    if (path === "/players") expect(await patch(id, { stats: { b: 2, a: 1 } })).toEqual(made);
    expect((await stage.api("GET", `${path}/${id}`)).body.data).toEqual(made);
    expect({ createdAt, updatedAt }).toEqual({ createdAt: made.createdAt, updatedAt: made.updatedAt });
    expect([stageChangedAt, playerId]).toEqual(path === "/players" ? [undefined, undefined] : [createdAt, null]);
  });

  it("is the moment of the change, and createdAt stays", async () => {
    const { id, createdAt } = await make();
    stage.clock.advance(12_345);
    expect(await patch(id, { ign: "Other" })).toMatchObject({ createdAt, updatedAt: createdAt + 12_345 });
  });
});

describe("ids", () => {
  it("strictly increase in order of creation, whatever the clock says", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      ids.push((await stage.api("POST", "/prospects", { ign: "Nyx" })).body.data.id);
    }
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });
});
