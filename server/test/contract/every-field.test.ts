/**
 * Every field that can be written is written with a value that is not its default, and read back: through the API, and through files.
 * It loops over the resources' definitions, so a new field or resource is tried on arrival.
 */
import { ENDPOINTS, RESOURCES, type SomeResource } from "@lineup/api/endpoints";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TABLES } from "../../src/transfer/tables.ts";
import { type SampleIds, sampleRecord, sampleValue } from "../sample-records.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { TransferFixture } from "../transfer-fixture.ts";
import { freshKeyCaller, type Stage } from "./checked-call.ts";
import { insertTeams, makeTeam } from "./seed-records.ts";

const WRITTEN = RESOURCES.filter((resource) =>
  ENDPOINTS.some(({ method, result }) => method === "POST" && result === resource.schema),
);

function pathOf(resource: SomeResource): string {
  return `/${resource.name}`;
}

function bodyOf(resource: SomeResource, ids: SampleIds): Record<string, unknown> {
  const names = Object.keys(resource.createFields.shape);
  return Object.fromEntries(names.map((name) => [name, sampleValue(resource, name, ids)]));
}

describe("through the API", () => {
  let server: TestServer;
  let api: Stage["api"];
  let ids: SampleIds;

  beforeAll(async () => {
    server = await startTestServer();
    const orgId = await makeOrg(server);
    api = freshKeyCaller(server, orgId);
    const team = makeTeam();
    await server.store.writeOrg(orgId, TEST_ORIGIN, (org) => insertTeams(org, [team]));
    ids = { teams: team.id };
  });
  afterAll(() => server.stop());

  it.each(WRITTEN.map((resource) => [resource.name, resource] as const))(
    "%s keep every field of a POST",
    async (_, resource) => {
      const body = bodyOf(resource, ids);
      const made = await api("POST", pathOf(resource), body);
      expect(made.status, made.text).toBe(201);
      const { data: found } = (await api("GET", `${pathOf(resource)}/${made.body.data.id}`)).body;
      expect(found).toMatchObject(body);
      expect(found).toEqual(made.body.data);
      const { data: listed } = (await api("GET", pathOf(resource))).body;
      expect(listed).toContainEqual(found);
    },
  );

  it.each(WRITTEN.map((resource) => [resource.name, resource] as const))(
    "%s keep every field of a PATCH, and what it does not name",
    async (_, resource) => {
      const required = Object.fromEntries(resource.required.map((name) => [name, sampleValue(resource, name, ids)]));
      // A role that fits whichever team or game comes first.
      const made = await api("POST", pathOf(resource), "role" in required ? { ...required, role: "Coach" } : required);
      expect(made.status, made.text).toBe(201);
      let expected = made.body.data;
      const changes = Object.entries({ ...bodyOf(resource, ids), role: "Substitute" }).map(([name, value]) => {
        return { [name]: name === "externalIds" ? { other: `${resource.kind}-2` } : value };
      });
      for (const change of changes) {
        const answer = await api("PATCH", `${pathOf(resource)}/${expected.id}`, change);
        expect(answer.status, answer.text).toBe(200);
        const { updatedAt, stageChangedAt = undefined, ...rest } = { ...expected, ...change };
        expect(answer.body.data).toMatchObject(rest);
        expected = (await api("GET", `${pathOf(resource)}/${expected.id}`)).body.data;
        expect(expected).toEqual(answer.body.data);
      }
    },
  );
});

describe("through files", () => {
  let fixture: TransferFixture;
  beforeAll(async () => {
    fixture = await TransferFixture.open();
  });
  afterAll(() => fixture.close());

  /** A row of every table, with a value in every column; references by the names of the rows before. */
  function makeTables(): Record<string, Record<string, unknown>[]> {
    const names: Record<string, string> = {};
    const tables: Record<string, Record<string, unknown>[]> = {};
    for (const resource of RESOURCES) {
      const record = sampleRecord(resource, names) as Readonly<Record<string, unknown>>;
      names[resource.table] = `${resource.kind}-1`;
      const row = TABLES[resource.name].columns.map(({ name, field }) => [
        name,
        name === "externalId" ? names[resource.table] : record[field],
      ]);
      tables[resource.name] = [Object.fromEntries(row)];
    }
    return tables;
  }

  it("every table keeps every column", async () => {
    const orgId = await fixture.makeOrg();
    // The assignment ends, so the player is in the team by a row without an end.
    const tables = makeTables();
    const [assignment] = tables.roster ?? [];
    tables.roster = [
      { ...assignment },
      { ...assignment, externalId: "open", joinedAt: assignment?.leftAt, leftAt: null },
    ];
    const counts = await fixture.importTables(orgId, tables);
    expect(Object.keys(counts).sort()).toEqual(RESOURCES.map(({ name }) => name).sort());
    for (const { name, table } of RESOURCES) {
      const stored = await fixture.rows(orgId, table);
      expect(stored.length, table).toBe(tables[name]?.length);
    }
    const exported = JSON.parse(await fixture.exportJson(orgId));
    expect(exported).toEqual(tables);
  });
});
