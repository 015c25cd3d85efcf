/**
 * What the request log is searched for after an erasure. The values are gone by then, also where the server was killed in between, so what
 * is kept of them until the search is over are hashes under the server's secret: enough to tell whether a text is one of them, and
 * nothing else.
 */
import { playerResource } from "@lineup/api/players";
import { prospectResource } from "@lineup/api/prospects";
import { type AnyResource, type Field, formOf, innerOf } from "@lineup/api/resource";
import * as z from "zod";
import type { ErasedTexts } from "../request-log/erased-requests.ts";
import type { OrgStore } from "../store/org-store.ts";
import { foldCase, storedOf } from "../store/record-rows.ts";
import type { Store } from "../store/store.ts";
import type { Person } from "./person.ts";

const NAMES = ["ign", "realName", "playerIgn"];
const EXTERNAL_IDS = "externalIds";
/** Many have the same, or it names somebody else. */
const SHARED = ["id", "role", "nationality", "region", "assignedTo"];
/** Every other text is about the person, one that is added later too. */
const TEXTS = [...new Set([...listTexts(playerResource), ...listTexts(prospectResource)])];

function listTexts({ fields }: AnyResource): string[] {
  const isOwn = ([name, one]: [string, Field]) =>
    ["text", "json"].includes(formOf(one)) &&
    !(innerOf(one.schema) instanceof z.ZodEnum) &&
    one.refersTo === undefined &&
    ![...NAMES, ...SHARED, EXTERNAL_IDS].includes(name);
  return Object.entries(fields)
    .filter(isOwn)
    .map(([name]) => name);
}

/** Part of a name that is shorter tells nobody. */
const PART_MIN = 4;
/** Of a longer name only the whole is looked for. */
const PARTED_NAME_MAX = 64;
/** A shorter value, or a number, stands for much else; it counts only where nothing else can be meant. */
const VALUE_MIN = 4;
const SOUGHT_MAX = 50_000;

/** What the values of a person are looked for as. */
export async function hashSought(store: Store, org: OrgStore, person: Person): Promise<string[]> {
  const sought = new Set<string>();
  for await (const [field, value] of valuesOf(org, person)) {
    for (const text of textsIn(value)) {
      for (const one of waysToAsk(field, foldCase(text.trim()))) if (sought.size < SOUGHT_MAX) sought.add(one);
    }
  }
  return [...sought].map((one) => store.hashUnderSecret(org.orgId, one));
}

/** How the log asks whether a text is one of them. */
export function erasedTexts(store: Store, orgId: string, hashes: ReadonlySet<string>): ErasedTexts {
  const known = new Map<string, boolean>();
  const isSought = (kind: Kind, text: string) => {
    const asked = `${kind}:${foldCase(text)}`;
    let answer = known.get(asked);
    if (answer === undefined) {
      answer = hashes.has(store.hashUnderSecret(orgId, asked));
      if (known.size < SOUGHT_MAX) known.set(asked, answer);
    }
    return answer;
  };
  return {
    isValue: (text) => isWeighty(text) && isSought("value", text),
    isSearch: (text) => isSought("search", text),
    isExternalId: (text) => isSought("external", text),
  };
}

type Kind = "value" | "search" | "external";

function* waysToAsk(field: string, text: string): Generator<`${Kind}:${string}`> {
  if (isWeighty(text)) yield `value:${text}`;
  if (field === EXTERNAL_IDS) yield `external:${text}`;
  if (!NAMES.includes(field) || text === "") return;
  yield `search:${text}`;
  if (text.length > PARTED_NAME_MAX) return;
  for (let from = 0; from + PART_MIN <= text.length; from++) {
    for (let to = from + PART_MIN; to <= text.length; to++) yield `search:${text.slice(from, to)}`;
  }
}

function isWeighty(text: string): boolean {
  return text.length >= VALUE_MIN && !/^[\d.,-]+$/.test(text);
}

/** All that the person's records hold and have held. */
async function* valuesOf(org: OrgStore, person: Person): AsyncGenerator<readonly [field: string, value: unknown]> {
  for (const ids of person.listBatches()) {
    const entries = org.selectFrom("audit").select(["audit.target_kind", "audit.target_name", "audit.changes"]);
    for (const row of await entries.where("audit.target_id", "in", ids).execute()) {
      if (row.target_name !== null) yield ["ign", row.target_name];
      const changes = JSON.parse(row.changes ?? "{}") as Readonly<Record<string, unknown>>;
      for (const field of [...NAMES, ...TEXTS, EXTERNAL_IDS]) yield [field, changes[field]];
    }
    const external = org.selectFrom("external_ids").select("external_ids.external_id");
    for (const row of await external.where("external_ids.record_id", "in", ids).execute()) {
      yield [EXTERNAL_IDS, row.external_id];
    }
  }
  yield* currentValuesOf(org, person);
}

/** Of records that are older than the audit log it knows little. */
async function* currentValuesOf(org: OrgStore, person: Person): AsyncGenerator<readonly [string, unknown]> {
  for (const [kind, resource] of [
    ["player", playerResource],
    ["prospect", prospectResource],
  ] as const) {
    for (const id of person.list(kind)) {
      const rows = await org
        .selectFrom(resource.table as "players")
        .selectAll()
        .where("id", "=", id)
        .execute();
      for (const row of rows) {
        const values: Readonly<Record<string, unknown>> = storedOf<AnyResource>(resource, row as never);
        for (const field of [...NAMES, ...TEXTS]) yield [field, values[field]];
      }
    }
  }
}

/** All texts in a value, however deep. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) yield* textsIn(one);
}
