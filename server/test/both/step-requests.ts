/**
 * Steps to be played against two servers. Ids stand in them as placeholders, well-formed ids that nobody has, because each server
 * makes its own; anyone who plays a step puts each server's in their place.
 */
import { ENDPOINTS } from "@lineup/api/endpoints";
import { playerResource } from "@lineup/api/players";
import { prospectResource } from "@lineup/api/prospects";
import { ALL_ROLES } from "@lineup/api/roles";
import fc from "fast-check";
import { SEED_NOW } from "../contract/seed-records.ts";
import { fieldArbitraries, type ValueSources } from "../field-arbitraries.ts";
import { type KnownIds, requestsOf } from "../generated/arbitraries.ts";
import { longText, name, unfit, word } from "./step-texts.ts";

export interface Step {
  /** How far the clocks go on before it. */
  readonly advanceMs: number;
  readonly as: "owner" | "reader" | "neighbour" | "nobody" | "stranger";
  readonly method: string;
  readonly target: string;
  readonly body: string | Buffer | undefined;
  readonly contentType: string | undefined;
  /** To go on from one of the cursors that were given out; what the target says is then asked where there is none yet. */
  readonly cursor: number | undefined;
}

export const PLACEHOLDER = /\b(player|team|prospect|contract)_0{20}(\d)(\d{5})/g;
const OWN = 0;
const FOREIGN = 1;

function placeholder(kind: keyof KnownIds, owner: number, number: number): string {
  return `${kind}_${"0".repeat(20)}${owner}${String(number).padStart(5, "0")}`;
}

const ownerOfId = fc.oneof({ weight: 30, arbitrary: fc.constant(OWN) }, { weight: 1, arbitrary: fc.constant(FOREIGN) });

function idOf(kind: keyof KnownIds): fc.Arbitrary<string> {
  return fc.tuple(ownerOfId, fc.nat(99_999)).map(([owner, number]) => placeholder(kind, owner, number));
}

const knownIds: fc.Arbitrary<KnownIds> = fc.record({
  player: idOf("player"),
  prospect: idOf("prospect"),
  contract: idOf("contract"),
  team: idOf("team"),
});

/** Around the time that the steps are played at, so that some lie before and some after. */
const moment = fc.oneof(
  fc.integer({ min: SEED_NOW - 1e10, max: SEED_NOW + 1e10 }),
  fc.constantFrom(0, -1, SEED_NOW, 8_640_000_000_000_000, -8_640_000_000_000_000),
);

function orNull<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(value, { nil: null, freq: 4 });
}

const externalIds = fc.dictionary(fc.constantFrom("import", "steam", "a-b", "__proto__", "x_1"), orNull(name), {
  maxKeys: 2,
  noNullPrototype: true,
});
const number = fc.oneof(
  fc.constantFrom(0, -0, 0.1, 1e-7, 1e21, 1e300, 5e-324, 123456789.123),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const SOURCES: ValueSources = {
  text: name,
  longText,
  moment,
  number,
  url: fc.nat(999).map((size) => `https://example.com/${"p".repeat(size)}`),
  externalIds,
  idOf: (kind) => idOf(kind as keyof KnownIds),
  nullOnceIn: 4,
};
/** Mostly a role that every game knows, so that most bodies are taken. */
const role = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("Coach", "Analyst", "Substitute") },
  { weight: 1, arbitrary: fc.constantFrom(...ALL_ROLES) },
);
const playerFields = { ...fieldArbitraries(playerResource, SOURCES), role };
const prospectFields = { ...fieldArbitraries(prospectResource, SOURCES), role: orNull(role) };

/** Bodies that are taken for the most part, and some in which one text is not. */
function bodyOf(fields: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]): fc.Arbitrary<string> {
  const whole = fc.record(fields, { requiredKeys: [...required] });
  const spoilt = fc
    .tuple(whole, fc.constantFrom(...Object.keys(fields)), unfit)
    .map(([body, field, text]) => ({ ...body, [field]: text }));
  return fc
    .oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: spoilt })
    .map((body) => JSON.stringify(body));
}

type Asked = Pick<Step, "method" | "target"> & Partial<Step>;

const writes: fc.Arbitrary<Asked> = fc.oneof(
  bodyOf(playerFields, ["ign", "role"]).map((body) => ({ method: "POST", target: "/players", body })),
  bodyOf(prospectFields, ["ign"]).map((body) => ({ method: "POST", target: "/prospects", body })),
  fc
    .tuple(idOf("player"), bodyOf(playerFields, []))
    .map(([id, body]) => ({ method: "PATCH", target: `/players/${id}`, body })),
  fc
    .tuple(idOf("prospect"), bodyOf(prospectFields, []))
    .map(([id, body]) => ({ method: "PATCH", target: `/prospects/${id}`, body })),
);

const single: fc.Arbitrary<Asked> = fc
  .constantFrom("player", "prospect", "contract")
  .chain((kind) => idOf(kind as keyof KnownIds).map((id) => ({ method: "GET", target: `/${kind}s/${id}` })));

/** A value for a filter, that some record has or that is none. */
function filterValue(parameter: string, alternatives: readonly string[]): fc.Arbitrary<string> {
  if (alternatives.length > 0)
    return fc.uniqueArray(fc.constantFrom(...alternatives), { minLength: 1, maxLength: 3 }).map((some) => some.join());
  if (parameter === "teamId") return fc.oneof(idOf("team"), fc.constant("none"));
  if (parameter === "playerId") return idOf("player");
  if (parameter === "days") return fc.integer({ min: 1, max: 365 }).map(String);
  if (parameter === "limit") return fc.constantFrom("1", "2", "3", "7", "500");
  if (parameter === "externalId")
    return fc.tuple(fc.constantFrom("import", "steam", "board"), name).map((pair) => pair.join(":"));
  if (parameter === "search" || parameter === "assignedTo")
    return fc.oneof({ weight: 8, arbitrary: word }, { weight: 4, arbitrary: name }, { weight: 1, arbitrary: unfit });
  return moment.map(String);
}

const LISTS = ENDPOINTS.filter((endpoint) => endpoint.list);

const lists: fc.Arbitrary<Asked> = fc.constantFrom(...LISTS).chain(({ path, query }) => {
  const parameters = Object.entries(query as Record<string, { schema: { enum?: string[]; pattern?: string } }>);
  const pieces = parameters
    .filter(([parameter]) => parameter !== "cursor")
    .map(([parameter, { schema }]) => {
      const fixed = schema.enum ?? alternativesOf(schema.pattern);
      const value = parameter === "sort" ? fc.constantFrom(...(schema.enum ?? [])) : filterValue(parameter, fixed);
      const freq = parameter === "sort" || parameter === "limit" ? 2 : 8;
      const piece = value.map((text) => `${parameter}=${encodeURIComponent(text.toWellFormed())}`);
      // Mostly left out: a list that is filtered by everything is empty.
      return parameter === "sort" || parameter === "limit"
        ? fc.option(piece, { nil: "", freq })
        : fc.oneof({ weight: freq, arbitrary: fc.constant("") }, { weight: 1, arbitrary: piece });
    });
  return fc.tuple(...pieces).map((given) => {
    const asked = given.filter((piece) => piece !== "").join("&");
    return { method: "GET", target: asked === "" ? path : `${path}?${asked}` };
  });
});

/** The values of a filter by fixed ones, which its pattern lists. */
function alternativesOf(pattern: string | undefined): string[] {
  const [, listed] = /^\^\(\?:([\w |]+)\)\(/.exec(pattern ?? "") ?? [];
  return listed?.split("|") ?? [];
}

const fromRecords: fc.Arbitrary<Asked> = fc.tuple(fc.constantFrom(...ENDPOINTS), knownIds).chain(([endpoint, known]) =>
  requestsOf(endpoint, known).map(({ path, query, body }) => ({
    method: endpoint.method,
    target: path + query,
    body,
  })),
);

const odd: fc.Arbitrary<Asked> = fc.oneof(
  fc
    .constantFrom("/players", "/nowhere", "/contracts/expiring", "/me", "/players/", "//players", "/PLAYERS")
    .map((target) => ({ method: "GET", target })),
  fc.constantFrom("PUT", "DELETE", "OPTIONS", "HEAD").map((method) => ({ method, target: "/players?limit=2" })),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ method: "POST", target: "/players", body: Buffer.from(bytes) })),
  fc
    .constantFrom("text/plain", "application/json; charset=latin1", "")
    .map((contentType) => ({ method: "POST", target: "/prospects", body: "{}", contentType })),
);

/** With other keys, or none; the neighbour's has few requests a minute. */
const byOthers: fc.Arbitrary<Asked> = fc
  .constantFrom<Step["as"][]>("neighbour", "neighbour", "neighbour", "reader", "nobody", "stranger")
  .chain((as) => fc.oneof(lists, single, writes).map((asked) => ({ ...asked, as })));

const goingOn: fc.Arbitrary<Asked> = fc
  .nat(99_999)
  .map((cursor) => ({ method: "GET", target: "/players?limit=2&sort=ign", cursor }));

/** Mostly so far that a key's minute has room, now and then not at all, and at times to where contracts have ended. */
const advance = fc.oneof(
  { weight: 80, arbitrary: fc.integer({ min: 50, max: 150 }) },
  { weight: 15, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1, 60_000, 3_600_000, 86_400_000) },
);

export const steps: fc.Arbitrary<Step> = fc
  .tuple(
    advance,
    fc.oneof(
      { weight: 30, arbitrary: lists },
      { weight: 30, arbitrary: writes },
      { weight: 15, arbitrary: goingOn },
      { weight: 8, arbitrary: single },
      { weight: 15, arbitrary: fromRecords },
      { weight: 5, arbitrary: odd },
      { weight: 15, arbitrary: byOthers },
    ),
  )
  .map(([advanceMs, asked]) => ({
    advanceMs,
    as: "owner",
    body: undefined,
    contentType: asked.body === undefined ? undefined : "application/json",
    cursor: undefined,
    ...asked,
  }));
