/** Requests made from the endpoint records: valid ones, and ones broken in every way the records know. */
import { type AnyEndpoint, RESOURCES } from "@lineup/api/endpoints";
import fc from "fast-check";
import { fieldArbitraries } from "../field-arbitraries.ts";

/** Ids that the server knows, by kind, for requests that should find something. */
export interface KnownIds {
  readonly player: string;
  readonly prospect: string;
  readonly contract: string;
  readonly team: string;
}

export interface GeneratedRequest {
  readonly path: string;
  readonly query: string;
  readonly body: string | undefined;
}

const anyText = fc.string({ unit: "binary", maxLength: 80 });
const shortText = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });
const anything = fc.jsonValue({ maxDepth: 3 });
/** Few: a record keeps those of all writes before, and takes no more than its bound. */
const SYSTEMS = ["x", "0", "riot", "vlr-gg", "faceit_2", "liquipedia-eu"] as const;

function valuesOf(endpoint: AnyEndpoint, known: KnownIds): Record<string, fc.Arbitrary<unknown>> {
  const resource = RESOURCES.find(({ schema }) => schema === endpoint.result);
  if (resource === undefined) throw new Error(`${endpoint.path} answers with no resource.`);
  return fieldArbitraries(resource, {
    text: shortText,
    longText: fc.string({ maxLength: 300 }),
    moment: instant,
    number: fc.double({ noNaN: true, noDefaultInfinity: true }),
    url: fc.webUrl({ validSchemes: ["https"] }),
    externalIds: fc.dictionary(fc.constantFrom(...SYSTEMS), shortText, { maxKeys: 3 }),
    idOf: (kind) => fc.constant(known[kind as keyof KnownIds]),
    nullOnceIn: 5,
  });
}

function bodyOf(endpoint: AnyEndpoint, known: KnownIds): fc.Arbitrary<string | undefined> {
  if (!("body" in endpoint)) return fc.constant(undefined);
  const values = valuesOf(endpoint, known);
  const valid = fc.record(values, { requiredKeys: [...endpoint.body.required] });
  // One field takes any value at all, and now and then a field nobody knows comes along.
  const broken = fc
    .tuple(valid, fc.oneof(fc.constantFrom(...Object.keys(values), ...endpoint.body.readOnly), anyText), anything)
    .map(([body, name, value]) => ({ ...body, [name]: value }));
  const json = fc.oneof(
    { weight: 6, arbitrary: valid },
    { weight: 4, arbitrary: broken },
    { weight: 1, arbitrary: anything },
  );
  return fc.oneof(
    { weight: 12, arbitrary: json.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: anyText },
  );
}

function queryOf(endpoint: AnyEndpoint): fc.Arbitrary<string> {
  const names = Object.keys(endpoint.query);
  if (names.length === 0)
    return fc.oneof({ weight: 6, arbitrary: fc.constant("") }, { weight: 1, arbitrary: fc.constant("?x=1") });
  const examples = endpoint.query as Readonly<
    Record<string, { example: string | number; schema: { enum?: string[] } }>
  >;
  const piece = fc.constantFrom(...names).chain((name) => {
    const parameter = examples[name];
    const usual = fc.constantFrom(String(parameter?.example), ...(parameter?.schema.enum ?? []));
    const value = fc.oneof(
      { weight: 5, arbitrary: usual },
      { weight: 1, arbitrary: anyText },
      { weight: 1, arbitrary: fc.integer().map(String) },
    );
    return value.map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`);
  });
  return fc
    .uniqueArray(piece, { maxLength: 4, selector: (text) => text.split("=", 1)[0] })
    .map((pieces) => (pieces.length === 0 ? "" : `?${pieces.join("&")}`));
}

function pathOf(endpoint: AnyEndpoint, known: KnownIds): fc.Arbitrary<string> {
  if (!endpoint.path.includes("{id}")) return fc.constant(endpoint.path);
  const kind = endpoint.path.split("/")[1]?.slice(0, -1) as keyof KnownIds;
  const stranger = known[kind].replace(/.{6}$/, "zzzzzz");
  const id = fc.oneof(
    { weight: 6, arbitrary: fc.constant(known[kind]) },
    { weight: 1, arbitrary: fc.constant(stranger) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).map((text) => text.toWellFormed()),
    },
  );
  // A lone dot or two would be a path of its own before it ever left the client.
  return id
    .filter((text) => !/^\.{1,2}$/.test(text))
    .map((text) => endpoint.path.replace("{id}", () => encodeURIComponent(text)));
}

export function requestsOf(endpoint: AnyEndpoint, known: KnownIds): fc.Arbitrary<GeneratedRequest> {
  return fc.record({ path: pathOf(endpoint, known), query: queryOf(endpoint), body: bodyOf(endpoint, known) });
}
