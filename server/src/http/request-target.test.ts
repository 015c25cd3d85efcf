import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { expect, test } from "vitest";
import { findPlainTarget } from "./request-target.ts";

const ID = "player_01h455vb4pex5vsknk084sn02q";

test("finds every endpoint by its method and path, with and without a query", () => {
  for (const endpoint of ENDPOINTS) {
    const url = BASE_PATH + endpoint.path.replace("{id}", ID);
    const id = endpoint.path.includes("{id}") ? ID : "";
    expect(findPlainTarget(endpoint.method, url)).toEqual({ endpoint, id });
    expect(findPlainTarget(endpoint.method, `${url}?limit=5&x=/y?z`)).toEqual({ endpoint, id });
  }
});

test("takes a fixed path for itself and not for an id", () => {
  expect(findPlainTarget("GET", `${BASE_PATH}/contracts/expiring`)?.endpoint?.name).toBe("listExpiringContracts");
});

test("has no fixed path whose end could pass for an id", () => {
  for (const { path } of ENDPOINTS) expect(path.slice(path.lastIndexOf("/"))).not.toContain("_");
});

test.each([
  ["HEAD", `${BASE_PATH}/players`],
  ["DELETE", `${BASE_PATH}/players`],
  ["GET", `${BASE_PATH}/players/`],
  ["GET", `${BASE_PATH}/Players`],
  ["GET", `${BASE_PATH}//players`],
  ["GET", `${BASE_PATH}/players/${ID}/`],
  ["GET", `${BASE_PATH}/players/%70layer_1`],
  ["GET", `${BASE_PATH}/players/${"a".repeat(65)}`],
  ["GET", `${BASE_PATH}/players/..`],
  ["GET", `${BASE_PATH}/players;x=1`],
  ["GET", `http://localhost${BASE_PATH}/players`],
  ["GET", BASE_PATH],
  ["GET", "/healthz"],
  ["GET", undefined],
])("leaves %s %s to the router", (method, url) => {
  expect(findPlainTarget(method, url)).toBeUndefined();
});
