/** What must hold of the list of endpoints for everything that is derived from it. */
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "./endpoints.ts";
import { ERROR_CODES, ERROR_MEANING } from "./errors.ts";
import { ParameterFault } from "./parameters.ts";
import { PERMISSION_GRANTS, PERMISSIONS } from "./permissions.ts";

describe("the list of endpoints", () => {
  it("names and routes each endpoint once", () => {
    expect(new Set(ENDPOINTS.map(({ name }) => name)).size).toBe(ENDPOINTS.length);
    expect(new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(ENDPOINTS.length);
  });

  it("has a body wherever something is written, and nowhere else", () => {
    for (const endpoint of ENDPOINTS) expect("body" in endpoint, endpoint.name).toBe(endpoint.method !== "GET");
  });

  it("writes with a write permission and reads with a read permission", () => {
    for (const { name, method, permission } of ENDPOINTS) {
      if (permission !== "any") expect(permission.endsWith(method === "GET" ? "read" : ":write"), name).toBe(true);
    }
  });

  it("has examples that it accepts itself", () => {
    for (const endpoint of ENDPOINTS) {
      for (const [name, parameter] of Object.entries(endpoint.query)) {
        expect(parameter.parse(String(parameter.example)), `${endpoint.name} ${name}`).not.toBeInstanceOf(
          ParameterFault,
        );
      }
      if (!("body" in endpoint)) continue;
      const { fields, required, example } = endpoint.body;
      expect(fields.partial().safeParse(example).error, endpoint.name).toBeUndefined();
      for (const name of required) expect(example, endpoint.name).toHaveProperty(name);
    }
  });

  it("takes no field for both writable and read-only, and shows all of either", () => {
    for (const endpoint of ENDPOINTS) {
      if (!("body" in endpoint)) continue;
      const writable = Object.keys(endpoint.body.fields.shape);
      expect(writable.filter((name) => (endpoint.body.readOnly as readonly string[]).includes(name))).toEqual([]);
      expect([...writable, ...endpoint.body.readOnly].sort()).toEqual(Object.keys(endpoint.result.shape).sort());
    }
  });
});

describe("codes and permissions", () => {
  it("are each explained", () => {
    for (const code of ERROR_CODES) expect(ERROR_MEANING[code].length).toBeGreaterThan(10);
    for (const permission of PERMISSIONS) expect(PERMISSION_GRANTS[permission].length).toBeGreaterThan(10);
  });
});
