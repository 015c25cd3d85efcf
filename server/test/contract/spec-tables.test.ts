/** The specification's own tables, written out here once more as data, and the code held against them. */
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { ERROR_STATUS } from "@lineup/api/errors";
import { PERMISSIONS } from "@lineup/api/permissions";
import { playerResource } from "@lineup/api/players";
import { ALL_ROLES, isRoleOf, kindOfRole, ROLES_BY_GAME } from "@lineup/api/roles";
import { DEFAULT_TIER, TIERS } from "@lineup/api/tiers";
import { describe, expect, it } from "vitest";

const ENDPOINT_TABLE = `
GET    /players             players:read
GET    /players/{id}        players:read
POST   /players             players:write
PATCH  /players/{id}        players:write
GET    /teams               teams:read
GET    /roster              roster:read
GET    /schedule            schedule:read
GET    /prospects           prospects:read
GET    /prospects/{id}      prospects:read
POST   /prospects           prospects:write
PATCH  /prospects/{id}      prospects:write
GET    /contracts           contracts:read
GET    /contracts/{id}      contracts:read
GET    /contracts/expiring  contracts:read
`;

const PERMISSION_TABLE = `
players:read
players:write
prospects:read
prospects:write
contracts:read
teams:read
roster:read
schedule:read
`;

const ERROR_TABLE = `
INVALID_API_KEY           401
KEY_REVOKED               403
KEY_EXPIRED               403
INSUFFICIENT_PERMISSIONS  403
VALIDATION_ERROR          400
INVALID_PARAMETER         400
INVALID_ROLE              400
RATE_LIMIT_EXCEEDED       429
NOT_FOUND                 404
INTERNAL_ERROR            500
`;

const ROLE_TABLE = `
LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute
Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute
CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute
Other: Player, Captain, Coach, Analyst, Manager, Substitute
`;

const TIER_TABLE = `
Free        10    100
Basic       60    1,000
Pro         300   10,000
Enterprise  1,000 100,000
`;

const PLAYER_FIELDS = ["id", "ign", "realName", "role", "teamId", "contractStatus", "joinDate"];

function rowsOf(table: string): string[] {
  return table.trim().split("\n");
}

describe("the specification's tables", () => {
  it("has its fourteen endpoints with their permissions, and beside them GET /me and GET /changes alone", () => {
    const listed = ENDPOINTS.map(({ method, path, permission }) => `${method} ${path} ${permission}`);
    const specified = rowsOf(ENDPOINT_TABLE).map((row) => row.replaceAll(/ +/g, " "));
    expect(specified).toHaveLength(14);
    expect(listed).toEqual([...specified, "GET /me any", "GET /changes any read"]);
  });

  it("has its prefix", () => expect(BASE_PATH).toBe("/api/public/v1"));

  it("has its eight permissions", () => expect(PERMISSIONS).toEqual(rowsOf(PERMISSION_TABLE)));

  it("has its ten codes with their statuses, and no other", () => {
    const specified = rowsOf(ERROR_TABLE).map((row) => row.split(/ +/));
    expect(ERROR_STATUS).toEqual(Object.fromEntries(specified.map(([code, status]) => [code, Number(status)])));
    expect(specified).toHaveLength(10);
  });

  it("has its roles of each game, each valid there and nowhere else", () => {
    const specified = rowsOf(ROLE_TABLE).map(
      (row) => row.split(": ") as ["LoL" | "Valorant" | "CS2" | "Other", string],
    );
    expect(ROLES_BY_GAME).toEqual(Object.fromEntries(specified.map(([game, roles]) => [game, roles.split(", ")])));
    for (const [game, roles] of specified) {
      for (const role of ALL_ROLES)
        expect(isRoleOf(game, role), `${role} in ${game}`).toBe(roles.split(", ").includes(role));
    }
    expect(ALL_ROLES.filter((role) => kindOfRole(role) === "staff")).toEqual(["Coach", "Analyst", "Manager"]);
  });

  it("has its tiers with their limits, and starts at Free", () => {
    const specified = rowsOf(TIER_TABLE).map((row) => {
      const [name, perMinute = "", perDay = ""] = row.split(/ +/);
      return [name, { perMinute: Number(perMinute.replace(",", "")), perDay: Number(perDay.replace(",", "")) }];
    });
    expect(TIERS).toEqual(Object.fromEntries(specified));
    expect(DEFAULT_TIER).toBe("Free");
  });

  it("has its seven fields of a player, in its order, before all others", () => {
    expect(Object.keys(playerResource.schema.shape).slice(0, 7)).toEqual(PLAYER_FIELDS);
  });
});
