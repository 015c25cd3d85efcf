import { BASE_PATH, type Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from "@lineup/api/errors";
import { createPlayer, updatePlayer } from "@lineup/api/players";
import { describe, expect, it } from "vitest";
import { openApiChecker } from "../../test/openapi-checker.ts";
import { buildOpenApi } from "./openapi.ts";
import type { JsonSchema, Reference } from "./openapi-schemas.ts";

const document = buildOpenApi({ version: "1.2.3", serverUrl: BASE_PATH });
const checker = openApiChecker(document);
const endpoints: readonly Endpoint[] = ENDPOINTS;

function faultsOf(schema: JsonSchema | Reference, value: unknown) {
  const validate = checker.compile(schema);
  return validate(value) ? [] : validate.errors;
}

function requireOperation(endpoint: Endpoint) {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
  if (operation === undefined) throw new Error(`${endpoint.name} is not described`);
  return operation;
}

describe("the OpenAPI document", () => {
  it("describes every endpoint and nothing else", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it("is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it("has every tag that an endpoint uses, each once, and no other", () => {
    expect(document.tags.map(({ name }) => name)).toEqual([...new Set(endpoints.map(({ tag }) => tag))]);
  });

  it("says what each field of each named resource and body is", () => {
    const silent = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries(schema.properties as Record<string, JsonSchema>)
        .filter(([, property]) => !/Envelope$/.test(name) && property.description === undefined)
        .map(([field]) => `${name}.${field}`),
    );
    expect(silent).toEqual([]);
  });

  it("leaves answers open for fields to come, and bodies closed", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(schema.additionalProperties, name).toBe(/Create$|Update$/.test(name) ? false : undefined);
    }
  });

  it("gives every field of a named schema an example that conforms, where it gives one", () => {
    for (const [name, { properties }] of Object.entries(document.components.schemas)) {
      for (const [field, property] of Object.entries(properties as Record<string, JsonSchema>)) {
        for (const example of (property.examples as unknown[] | undefined) ?? []) {
          expect(faultsOf(property, example), `${name}.${field}`).toEqual([]);
        }
      }
    }
  });

  it("gives every header an example that conforms", () => {
    for (const [name, header] of Object.entries(document.components.headers)) {
      expect(faultsOf(header.schema, header.example), name).toEqual([]);
    }
  });

  it("documents the ten codes, each under its own status, and no other", () => {
    const seen = new Set<ErrorCode>();
    for (const endpoint of endpoints) {
      for (const [status, response] of Object.entries(requireOperation(endpoint).responses)) {
        const codes = response["x-error-codes"] ?? [];
        expect(codes.length > 0, `${endpoint.name} ${status}`).toBe(Number(status) >= 400);
        for (const code of codes) {
          seen.add(code);
          expect(ERROR_STATUS[code], code).toBe(Number(status));
        }
      }
    }
    expect([...seen].sort()).toEqual([...ERROR_CODES].sort());
  });
});

describe.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
  "%s in the document",
  (name, endpoint) => {
    const operation = requireOperation(endpoint);

    it("has its name, its group and its permission, in words too", () => {
      expect(operation.operationId).toBe(name);
      expect(operation.tags).toEqual([endpoint.tag]);
      expect(operation["x-permission"]).toBe(endpoint.permission);
      expect(operation.description).toContain(endpoint.permission);
    });

    it("has exactly its parameters, each with a description and an example that conforms and that the server reads", () => {
      const parameters = operation.parameters ?? [];
      const inQuery = parameters.filter((parameter) => parameter.in === "query");
      expect(inQuery.map((parameter) => parameter.name)).toEqual(Object.keys(endpoint.query));
      expect(parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name)).toEqual(
        endpoint.path.includes("{id}") ? ["id"] : [],
      );
      for (const parameter of parameters) {
        expect(parameter.description, parameter.name).toMatch(/\.$/);
        expect(Object.keys(parameter.examples), parameter.name).toHaveLength(1);
        for (const { value } of Object.values(parameter.examples)) {
          expect(faultsOf(parameter.schema, value), parameter.name).toEqual([]);
        }
      }
      for (const [parameterName, { example, parse }] of Object.entries(endpoint.query)) {
        expect(parse(String(example)), parameterName).not.toHaveProperty("message");
      }
    });

    it("answers with examples that conform to their schemas and to the record", () => {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (response.content === undefined) {
          expect(status).toBe("304");
          continue;
        }
        const { schema, examples } = response.content["application/json"];
        expect(Object.keys(examples).length, status).toBeGreaterThan(0);
        for (const [key, { value }] of Object.entries(examples)) expect(faultsOf(schema, value), key).toEqual([]);
        const codes = response["x-error-codes"];
        if (codes !== undefined) expect(Object.keys(examples)).toEqual(codes);
      }
      const success = operation.responses["200"] ?? operation.responses["201"];
      for (const { value } of Object.values(success?.content?.["application/json"].examples ?? {})) {
        const { data } = value as { data: unknown };
        for (const item of endpoint.list ? (data as unknown[]) : [data]) {
          expect(endpoint.result.safeParse(item)).toMatchObject({ success: true });
        }
      }
    });

    it("has a body with an example exactly where the record has one", () => {
      const media = operation.requestBody?.content["application/json"];
      expect(media !== undefined).toBe(endpoint.body !== undefined);
      for (const { value } of Object.values(media?.examples ?? {})) {
        expect(faultsOf(media?.schema ?? {}, value)).toEqual([]);
        expect(endpoint.body?.fields.partial().safeParse(value)).toMatchObject({ success: true });
      }
    });
  },
);

describe("the described bodies", () => {
  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
  const cases: readonly (readonly [string, Endpoint, object])[] = [
    ["stats of numbers and strings", createPlayer, { stats: { kda: 4.2, rank: "Gold" } }],
    ["no stats", createPlayer, { stats: null }],
    ["fifty stats", createPlayer, { stats: many(50, 1) }],
    ["fifty-one stats", createPlayer, { stats: many(51, 1) }],
    ["a stat that is a list", createPlayer, { stats: { kda: [1] } }],
    ["a stat that is null", createPlayer, { stats: { kda: null } }],
    ["stats that are a list", createPlayer, { stats: [] }],
    ["an external id", createPlayer, { externalIds: { "my_crm-2": "77" } }],
    ["twenty-one systems", createPlayer, { externalIds: many(21, "x") }],
    ["a system in capitals", createPlayer, { externalIds: { CRM: "77" } }],
    ["an external id that is a number", createPlayer, { externalIds: { crm: 77 } }],
    ["a removal in a POST", createPlayer, { externalIds: { crm: null } }],
    ["a removal in a PATCH", updatePlayer, { externalIds: { crm: null } }],
    ["an empty external id", updatePlayer, { externalIds: { crm: "" } }],
    ["no external ids at all", updatePlayer, { externalIds: null }],
    ["an unknown status", updatePlayer, { status: "asleep" }],
    ["no team", updatePlayer, { teamId: null }],
    ["no in-game name", updatePlayer, { ign: null }],
  ];

  it.each(cases)("agree with the server about %s", (_, endpoint, fields) => {
    const body = endpoint.method === "POST" ? { ign: "Vex", role: "Player", ...fields } : fields;
    const media = requireOperation(endpoint).requestBody?.content["application/json"];
    const taken = endpoint.body?.fields.partial().safeParse(body).success;
    expect(faultsOf(media?.schema ?? {}, body)?.length === 0).toBe(taken);
  });

  it.each([
    ["an unknown field", createPlayer, { ign: "Vex", role: "Player", nick: "V" }],
    ["a missing field", createPlayer, { ign: "Vex" }],
    ["a PATCH of nothing", updatePlayer, {}],
  ] as const)("refuse %s", (_, endpoint, body) => {
    const media = requireOperation(endpoint).requestBody?.content["application/json"];
    expect(faultsOf(media?.schema ?? {}, body)).not.toEqual([]);
  });
});

describe("the checker of live answers", () => {
  const response = document.paths["/players/{id}"]?.get?.responses["200"];
  const body = response?.content?.["application/json"].examples.resource?.value as {
    data: object;
    meta: { count: number; requestId: string };
  };
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  for (const name of Object.keys(response?.headers ?? {})) {
    headers[name.toLowerCase()] = String(document.components.headers[name]?.example);
  }
  const check = (status: number, sent: Record<string, string>, answer: unknown) =>
    checker.checkAnswer("GET", "/players/{id}", status, sent, answer);

  it("finds nothing wrong with an answer as described", () => {
    expect(check(200, headers, body)).toEqual([]);
    expect(checker.checkAnswer("GET", "/players/{id}", 200, new Headers(headers), body)).toEqual([]);
    expect(checker.checkAnswer("HEAD", "/players/{id}", 200, headers, undefined)).toEqual([]);
  });

  it("finds an endpoint or a status that nobody described", () => {
    expect(checker.checkAnswer("DELETE", "/players/{id}", 200, headers, body)).toHaveLength(1);
    expect(check(418, headers, body)).toEqual(["status 418 is not described for GET /players/{id}"]);
  });

  it("finds a header that is missing or not of its kind", () => {
    const { "x-ratelimit-reset": _, ...without } = headers;
    expect(check(200, without, body)).toEqual(["header X-RateLimit-Reset is missing"]);
    expect(check(200, { ...headers, "x-ratelimit-limit": "many" }, body)).toEqual([
      "header X-RateLimit-Limit must be integer",
    ]);
  });

  it("finds a field that is missing, unknown or wrong", () => {
    const { data } = body as { data: Record<string, unknown> };
    const { ign: _, ...nameless } = data;
    expect(check(200, headers, { ...body, data: nameless })).toEqual(["body/data must have required property 'ign'"]);
    expect(check(200, headers, { ...body, data: { ...data, salary: 1 } })).toEqual([
      "body/data must NOT have additional properties (salary)",
    ]);
    expect(check(200, headers, { ...body, data: { ...data, joinDate: "today" } })).toHaveLength(1);
  });

  it("finds a count, a request id or an error that disagrees with the rest of the answer", () => {
    expect(check(200, headers, { ...body, meta: { ...body.meta, count: 2 } })).toHaveLength(1);
    expect(check(200, { ...headers, "x-request-id": "req_01jb8v6k3ze5xr9m4q7w2t5n8e" }, body)).toHaveLength(1);
    const { INSUFFICIENT_PERMISSIONS: forbidden } =
      document.paths["/players/{id}"]?.get?.responses["403"]?.content?.["application/json"].examples ?? {};
    expect(check(403, headers, forbidden?.value)).toEqual([]);
    expect(check(404, headers, forbidden?.value)).toEqual([
      "code INSUFFICIENT_PERMISSIONS is not described for status 404",
      "error.status is 403, not 404",
    ]);
  });
});
