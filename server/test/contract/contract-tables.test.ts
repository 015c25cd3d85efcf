/** What the specification leaves open and the contract settles (fields, values, parameters), pinned as data. */
import { ENDPOINTS } from "@lineup/api/endpoints";
import { describe, expect, it } from "vitest";
import { RECORD_LISTS } from "./endpoint-requests.ts";

const FIELDS: Readonly<Record<string, string>> = {
  "/players": `id ign realName role teamId contractStatus joinDate status nationality imageUrl stats externalIds createdAt
    updatedAt`,
  "/teams": "id name tag game division region logoUrl status playerCount externalIds createdAt updatedAt",
  "/roster": `id playerId ign realName role kind teamId teamName game isStarter isCaptain status joinedAt leftAt createdAt
    updatedAt`,
  "/schedule": `id kind title teamId game status startsAt endsAt previousStartsAt timezone opponent competition stage bestOf
    location streamUrl result externalIds createdAt updatedAt`,
  "/prospects": `id ign realName game role stage stageChangedAt priority rating currentTeam nationality region source
    assignedTo notes targetTeamId playerId contractEndDate lastContactAt tags externalIds createdAt updatedAt`,
  "/contracts": `id playerId playerIgn teamId kind status startDate endDate signedAt terminatedAt autoRenew
    noticePeriodDays daysRemaining externalIds createdAt updatedAt`,
};

const EVERY_LIST = "limit cursor sort updatedSince";

const PARAMETERS: Readonly<Record<string, string>> = {
  "/players": `${EVERY_LIST} externalId teamId game role status contractStatus search`,
  "/teams": `${EVERY_LIST} externalId game status search`,
  "/roster": `${EVERY_LIST} teamId game role kind status asOf`,
  "/schedule": `${EVERY_LIST} externalId teamId game kind status from to`,
  "/prospects": `${EVERY_LIST} externalId stage game role priority assignedTo search`,
  "/contracts": `${EVERY_LIST} externalId status playerId teamId endsBefore endsAfter`,
  "/contracts/expiring": `${EVERY_LIST} externalId days teamId`,
};

const ENUMS: Readonly<Record<string, string>> = {
  "/players status": "active benched inactive",
  "/players contractStatus": "unsigned in_negotiation active expired terminated",
  "/teams game": "LoL Valorant CS2 Other",
  "/teams division": "main academy other",
  "/teams status": "active inactive",
  "/roster kind": "player staff",
  "/roster status": "active benched inactive",
  "/schedule kind": "match scrim practice event",
  "/schedule status": "scheduled live completed postponed cancelled",
  "/prospects game": "LoL Valorant CS2 Other",
  "/prospects stage": "identified contacted trial offered signed rejected",
  "/prospects priority": "low medium high",
  "/contracts kind": "player staff trial loan",
  "/contracts status": "draft pending active expired terminated",
};

const BODIES: Readonly<Record<string, { required: string; optional: string }>> = {
  "/players": {
    required: "ign role",
    optional: "realName teamId contractStatus joinDate status nationality imageUrl stats externalIds",
  },
  "/prospects": {
    required: "ign",
    optional: `game role stage priority realName rating currentTeam nationality region source assignedTo notes targetTeamId
      contractEndDate lastContactAt tags externalIds`,
  },
};

/** Fields that hold no single value, or that nobody stores. */
const NOT_SORTABLE = new Set(["stats", "externalIds", "tags", "result", "daysRemaining"]);

const words = (text: string) => text.split(/\s+/);
const sorted = (names: Iterable<string>) => [...names].sort();

function shapeOf(path: string): Record<string, object> {
  const endpoint = RECORD_LISTS.find((candidate) => candidate.path === path);
  if (endpoint === undefined) throw new Error(`${path} is no list.`);
  return endpoint.result.shape;
}

describe("the contract's tables", () => {
  it.each(Object.entries(FIELDS))("gives %s exactly the fields of its resource", (path, fields) => {
    expect(sorted(Object.keys(shapeOf(path)))).toEqual(sorted(words(fields)));
  });

  it.each(Object.entries(ENUMS))("knows exactly the values of %s", (place, values) => {
    const [path = "", field = ""] = place.split(" ");
    expect((shapeOf(path)[field] as { options: string[] }).options).toEqual(words(values));
  });

  it("takes exactly the parameters of each list, and none elsewhere", () => {
    expect(sorted(RECORD_LISTS.map(({ path }) => path))).toEqual(sorted(Object.keys(PARAMETERS)));
    for (const endpoint of ENDPOINTS) {
      const names = endpoint.list ? words(PARAMETERS[endpoint.path] ?? "cursor limit since type") : [];
      expect(sorted(Object.keys(endpoint.query)), endpoint.name).toEqual(sorted(names));
    }
  });

  it("sorts every list by every stored field that holds a single value, and by no other", () => {
    for (const { path, query } of RECORD_LISTS) {
      const fields = words(FIELDS[path === "/contracts/expiring" ? "/contracts" : path] ?? "");
      const sortable = fields.filter((field) => !NOT_SORTABLE.has(field));
      const offered = (query.sort.schema as { enum: string[] }).enum;
      expect(sorted(offered), path).toEqual(sorted(sortable.flatMap((field) => [field, `-${field}`])));
    }
  });

  it("takes exactly the fields of each body", () => {
    for (const endpoint of ENDPOINTS) {
      if (!("body" in endpoint)) continue;
      const { required, optional } = BODIES[endpoint.path.replace("/{id}", "")] ?? { required: "", optional: "" };
      const isCreation = endpoint.method === "POST";
      const { body } = endpoint;
      expect(sorted(Object.keys(body.fields.shape)), endpoint.name).toEqual(
        sorted([...words(required), ...words(optional)]),
      );
      expect(body.required, endpoint.name).toEqual(isCreation ? words(required) : []);
      expect(body.atLeastOne, endpoint.name).toBe(!isCreation);
    }
  });
});
