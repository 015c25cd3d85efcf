/** What client generators and linters make of the document: types that say no less, and ask for no more, than the server does. */
import { BASE_PATH, type Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import * as field from "@lineup/api/fields";
import { createPlayer, updatePlayer } from "@lineup/api/players";
import { createProspect } from "@lineup/api/prospects";
import { ALL_ROLES, GAMES, ROLES_BY_GAME } from "@lineup/api/roles";
import { describe, expect, it } from "vitest";
import { openApiChecker } from "../../test/openapi-checker.ts";
import { buildOpenApi } from "./openapi.ts";
import type { JsonSchema } from "./openapi-schemas.ts";

const document = buildOpenApi({ version: "1.2.3", serverUrl: BASE_PATH });
const checker = openApiChecker(document);
const { schemas } = document.components;

function conforms(schema: JsonSchema, value: unknown): boolean {
  return checker.compile(schema)(value);
}

function requireField(name: string, property: string): JsonSchema {
  const found = (schemas[name]?.properties as Record<string, JsonSchema> | undefined)?.[property];
  if (found === undefined) throw new Error(`${name}.${property} is not described`);
  return found;
}

function requireParameter(endpoint: Endpoint, name: string) {
  const found = document.paths[endpoint.path]?.get?.parameters?.find((parameter) => parameter.name === name);
  if (found === undefined) throw new Error(`${endpoint.name} has no parameter ${name}`);
  return found;
}

/** Every parameter of the records that reads a text as the server should, under its endpoint. */
function listParametersThat(reads: (parse: (text: string) => unknown) => boolean) {
  return (ENDPOINTS as readonly Endpoint[]).flatMap((endpoint) =>
    Object.entries(endpoint.query)
      .filter(([, parameter]) => reads((text) => parameter.parse(text)))
      .map(([name, parameter]) => ({ label: `${endpoint.name} ${name}`, endpoint, name, parameter })),
  );
}

describe("the document, for linters", () => {
  it("says whom to turn to, and under which licence it stands", () => {
    expect(document.info).toMatchObject({
      contact: { name: expect.stringMatching(/\S/) },
      license: { identifier: "MIT" },
    });
  });
});

describe("the document, for generators", () => {
  it("names no schema as the language names something of its own", () => {
    expect(Object.keys(schemas).filter((name) => name in globalThis)).toEqual([]);
  });

  it("has no default, which generators take for a field that must be there", () => {
    expect(JSON.stringify(document)).not.toContain('"default":');
  });

  it.each([
    ["PlayerCreate", createPlayer, { realName: "an empty string", contractStatus: "`unsigned`", status: "`active`" }],
    [
      "ProspectCreate",
      createProspect,
      { realName: "an empty string", game: "`Other`", stage: "`identified`", priority: "`medium`" },
    ],
  ] as const)(
    "asks in %s for what the server requires, and says in words what the rest is",
    (name, endpoint, words) => {
      expect(schemas[name]?.required).toEqual(endpoint.body.required);
      for (const [property, value] of Object.entries(words)) {
        expect(requireField(name, property).description).toMatch(new RegExp(` When left out: ${value}\\.$`));
      }
    },
  );

  it.each(["Player", "RosterEntry", "Prospect", "PlayerCreate", "PlayerUpdate", "ProspectCreate", "ProspectUpdate"])(
    "names every role that %s can have, and says which belong to which game",
    (name) => {
      const role = requireField(name, "role");
      expect(ALL_ROLES.filter((one) => !conforms(role, one))).toEqual([]);
      expect(conforms(role, "Goalkeeper")).toBe(false);
      expect(conforms(role, null)).toBe(name.startsWith("Prospect"));
      for (const game of GAMES) expect(role.description).toContain(`${game}: ${ROLES_BY_GAME[game].join(", ")}.`);
    },
  );

  it("leaves it to the server to judge a role, which has an error of its own", () => {
    for (const { body } of [createPlayer, updatePlayer, createProspect]) {
      expect(body.fields.shape.role.safeParse("Goalkeeper").success).toBe(true);
    }
  });
});

describe("a moment in a query", () => {
  const moments = listParametersThat((parse) => typeof parse("2026-01-01") === "number");

  it("is known by what the server reads", () => {
    expect(moments.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["updatedSince", "asOf", "from", "endsBefore"]),
    );
  });

  it.each(moments)("$label is 64 bits of milliseconds, a date-time or a date", ({ endpoint, name, parameter }) => {
    const { schema } = requireParameter(endpoint, name);
    expect(schema.anyOf).toMatchObject([
      { type: "integer", format: "int64" },
      { type: "string", format: "date-time" },
      { type: "string", format: "date" },
    ]);
    for (const value of [
      ...[0, -1, 1_735_689_600_000, field.TIMESTAMP_MAX, field.TIMESTAMP_MAX + 1, 1.5],
      ...["2026-01-01", "2026-02-30", "2026-01-01T12:00:00Z", "2026-01-01T12:00:00.123+02:00", "soon", ""],
    ]) {
      const taken = typeof parameter.parse(String(value)) === "number";
      expect([value, conforms(schema, value)]).toEqual([value, taken]);
    }
  });
});

describe("a cursor", () => {
  const cursors = listParametersThat((parse) => typeof parse("WyJwbGF5ZXJzIl0") === "string").filter(
    ({ name }) => name === "cursor",
  );

  it.each(cursors)("of $label is as long as the server takes it, and no longer", ({ endpoint, name, parameter }) => {
    const { schema } = requireParameter(endpoint, name);
    const maxLength = Number(schema.maxLength);
    for (const text of ["x".repeat(maxLength), "x".repeat(maxLength + 1), "a b", "é", ""]) {
      expect(conforms(schema, text), text.slice(0, 9)).toBe(typeof parameter.parse(text) === "string");
    }
  });
});

describe("a URL", () => {
  const taken = [
    "https://example.com",
    "HTTPS://EXAMPLE.COM/a?b#c",
    "https://[::1]/a",
    "https://ä.de/ü|{}",
    "https://@a",
  ];
  const plain = ["http://example.com/live", "HTTP://example.com"];
  const refused = [
    ...["ftp://example.com", "//example.com", "example.com", "https://", "https:///a", "https:a", "https://?a"],
    ...["https://#a", "https:\\\\example.com", "https://\\a", "https://a b", "javascript:alert(1)//https://x", ""],
    `https://example.com/${"a".repeat(field.URL_MAX)}`,
  ];

  it.each([
    ["Player", "imageUrl", field.httpsUrl],
    ["PlayerCreate", "imageUrl", field.httpsUrl],
    ["PlayerUpdate", "imageUrl", field.httpsUrl],
    ["Team", "logoUrl", field.webUrl],
    ["ScheduleEntry", "streamUrl", field.webUrl],
  ] as const)("of %s.%s is described by what the server takes", (name, property, kind) => {
    const schema = requireField(name, property);
    expect(schema.pattern).toMatch(/^\^/);
    for (const value of [...taken, ...plain, ...refused]) {
      expect([value, conforms(schema, value)]).toEqual([value, kind.safeParse(value).success]);
    }
    expect(taken.filter((value) => !conforms(schema, value))).toEqual([]);
    expect(refused.filter((value) => conforms(schema, value))).toEqual([]);
  });
});
