/** Ids in other systems: merged by PATCH, and each pair of system and id with one record of a kind. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, type LooseItem, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const REQUIRED = { "/players": { ign: "Vex", role: "Player" }, "/prospects": { ign: "Nyx" } } as const;

describe.each(["/players", "/prospects"] as const)("externalIds of %s", (path) => {
  const post = (externalIds: object) => stage.api("POST", path, { ...REQUIRED[path], externalIds });
  const patch = (id: string, externalIds: object) => stage.api("PATCH", `${path}/${id}`, { externalIds });
  const holderOf = async (pair: string) => (await stage.list(`${path}?externalId=${pair}`)).map(({ id }) => id);

  it("are merged: what is given is set, null removes, the rest stays", async () => {
    const { id } = (await post({ a: "1", b: "2" })).body.data;
    expect((await patch(id, { c: "3" })).body.data.externalIds).toEqual({ a: "1", b: "2", c: "3" });
    expect((await patch(id, { a: null, b: "22", nosuch: null })).body.data.externalIds).toEqual({ b: "22", c: "3" });
    expect((await stage.api("GET", `${path}/${id}`)).body.data.externalIds).toEqual({ b: "22", c: "3" });
    expect(await holderOf("a:1")).toEqual([]);
    expect(await holderOf("b:2")).toEqual([]);
    expect(await holderOf("b:22")).toEqual([id]);
    const { updatedAt } = (await stage.api("GET", `${path}/${id}`)).body.data;
    expect((await patch(id, { b: "22", nosuch: null })).body.data.updatedAt).toBe(updatedAt);
    expect((await patch(id, {})).body.data.updatedAt).toBe(updatedAt);
  });

  it("belong to one record: a pair that another holds is refused, and free once it is given up", async () => {
    const first = (await post({ steam: "77" })).body.data;
    const refused = await post({ steam: "77", other: "1" });
    expectError(refused, "VALIDATION_ERROR");
    expect(refused.body.error.details).toEqual([{ field: "externalIds.steam", message: expect.any(String) }]);
    expect(await holderOf("other:1")).toEqual([]);
    const second = (await post({ steam: "78", faceit: "77" })).body.data;
    expectError(await patch(second.id, { steam: "77" }), "VALIDATION_ERROR");
    expect((await patch(first.id, { steam: "77" })).body.data.updatedAt).toBe(first.updatedAt);
    await patch(first.id, { steam: null });
    expect((await patch(second.id, { steam: "77" })).status).toBe(200);
    expect(await holderOf("steam:77")).toEqual([second.id]);
  });

  it("name no record in files by what is another's own id", async () => {
    const first = (await post({})).body.data;
    const refused = await post({ import: first.id });
    expectError(refused, "VALIDATION_ERROR");
    expect(refused.body.error.details).toEqual([{ field: "externalIds.import", message: expect.any(String) }]);
    expect((await patch(first.id, { import: first.id })).status).toBe(200);
  });

  it("are one pair whatever blanks surround them, and two where their case differs", async () => {
    const { id } = (await post({ trim: " x " })).body.data;
    expectError(await post({ trim: "x" }), "VALIDATION_ERROR");
    expect((await post({ trim: "X" })).status).toBe(201);
    expect(await holderOf("trim:x")).toEqual([id]);
  });

  it("are at most twenty once merged", async () => {
    const systems = (from: number, to: number, value: string | null) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`n${from + index}`, value]));
    const { id } = (await post(systems(0, 20, `${path}1`))).body.data;
    expectError(await patch(id, { extra: "1" }), "VALIDATION_ERROR");
    expectError(await patch(id, systems(0, 41, null)), "VALIDATION_ERROR");
    const swapped = await patch(id, { ...systems(0, 20, null), ...systems(20, 40, `${path}1`) });
    expect(Object.keys(swapped.body.data.externalIds)).toHaveLength(20);
  });

  it("refuse null on creation, where there is nothing to remove", async () => {
    expectError(await post({ steam: null }), "VALIDATION_ERROR");
  });

  it("may be named like what objects have by nature", async () => {
    const body = `{"ign":"Proto","role":"Player","externalIds":{"__proto__":"${path}","constructor":"${path}"}}`;
    const made = (await stage.api("POST", path, body)).body.data;
    expect(Object.entries(made.externalIds)).toEqual([
      ["__proto__", path],
      ["constructor", path],
    ]);
    const removed = await stage.api("PATCH", `${path}/${made.id}`, '{"externalIds":{"__proto__":null}}');
    expect(Object.keys(removed.body.data.externalIds)).toEqual(["constructor"]);
    expect(await holderOf(`__proto__:${path}`)).toEqual([]);
  });
});

describe("a pair", () => {
  it("may be held by one player and one prospect at once", async () => {
    const externalIds = { shared: "1" };
    expect((await stage.api("POST", "/players", { ...REQUIRED["/players"], externalIds })).status).toBe(201);
    expect((await stage.api("POST", "/prospects", { ...REQUIRED["/prospects"], externalIds })).status).toBe(201);
  });

  it("goes to one of those who ask for it at the same time", async () => {
    const body = { ...REQUIRED["/players"], externalIds: { race: "1" } };
    const replies = await Promise.all(Array.from({ length: 8 }, () => stage.api("POST", "/players", body)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await stage.list("/players?externalId=race:1")).map(({ id }: LooseItem) => id)).toHaveLength(1);
  });
});
