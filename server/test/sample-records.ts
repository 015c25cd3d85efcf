/** Records of every resource, made from its definition: a value in every field, other than what the field is by default. */
import { RESOURCES, type SomeResource } from "@lineup/api/endpoints";
import { type AnyResource, type Field, fillIn, formOf, innerOf, partsOf, type StoredOf } from "@lineup/api/resource";
import * as z from "zod";
import { insertUser } from "../src/identity/users.ts";
import { type ExternalIds, saveExternalIds } from "../src/store/external-ids.ts";
import { makeId } from "../src/store/ids.ts";
import type { OrgStore } from "../src/store/org-store.ts";
import { rowOf } from "../src/store/record-rows.ts";
import type { ExternalIdKind } from "../src/store/schema.ts";
import type { Store } from "../src/store/store.ts";
import { TEST_ORIGIN } from "./test-origin.ts";

/** The ids of records that others refer to, by table. */
export type SampleIds = Readonly<Record<string, string>>;
export type SampleRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** Later fields have later moments, so that what ends does so after it began. */
const FIRST_MOMENT = Date.UTC(2025, 2, 1);

/** A value for a field that is not its default. */
export function sampleValue(resource: AnyResource, name: string, ids: SampleIds): unknown {
  const one = resource.fields[name];
  if (one === undefined) throw new Error(`A ${resource.kind} has no ${name}.`);
  if (name === "externalIds") return { board: `${resource.kind}-1` };
  if (one.refersTo !== undefined) return ids[one.refersTo];
  const form = formOf(one);
  if (form === "moment") return FIRST_MOMENT + Object.keys(resource.fields).indexOf(name) * 1_000;
  return isUsual(one, one.example) ? otherValue(name, one) : one.example;
}

function isUsual(one: Field, value: unknown): boolean {
  return value === null || value === one.default;
}

function otherValue(name: string, one: Field): unknown {
  const inner = innerOf(one.schema);
  if (inner instanceof z.ZodEnum) return inner.options.find((value) => !isUsual(one, value));
  switch (formOf(one)) {
    case "boolean":
      return one.default !== true;
    case "text":
      return `Some ${name}`;
    case "parts":
      return Object.fromEntries(partsOf(one).map((part, index) => [part, index + 1]));
    default:
      throw new Error(`Give ${name} an example that is not its default.`);
  }
}

/** A record with a value in every field that is stored. */
export function sampleRecord<R extends SomeResource>(resource: R, ids: SampleIds): StoredOf<R> & SampleRecord {
  const stored = Object.entries(resource.fields).filter(([, one]) => one.source === "column");
  const values = Object.fromEntries(stored.map(([name]) => [name, sampleValue(resource, name, ids)]));
  return fillIn(resource, { ...values, id: makeId(resource.kind) }, FIRST_MOMENT) as StoredOf<R> & SampleRecord;
}

/** Writes one record of every resource, by table. What the resources' rules would make of each other is not done. */
export async function insertOneOfEach(org: OrgStore): Promise<Readonly<Record<string, SampleRecord>>> {
  const made: Record<string, SampleRecord> = {};
  for (const resource of RESOURCES) {
    const ids = Object.fromEntries(Object.entries(made).map(([table, { id }]) => [table, id]));
    const record = sampleRecord(resource, ids);
    made[resource.table] = record;
    await insertSample(org, resource, record);
  }
  return made;
}

export async function insertSample(org: OrgStore, resource: SomeResource, record: SampleRecord): Promise<void> {
  const name = resource.externalIds === false ? { import_id: `${resource.kind}-1` } : {};
  await org.insertInto(resource.table, [{ ...rowOf(resource, record as never), ...name } as never]).execute();
  if (resource.externalIds === false) return;
  await saveExternalIds(org, resource.kind as ExternalIdKind, record.id, {}, record.externalIds as ExternalIds);
}

/** A row in every table of events; the contract is one that is there. */
export async function insertEventRows(org: OrgStore, contractId: string): Promise<void> {
  const webhook_id = makeId("webhook");
  const times = { created_at: 1, updated_at: 1 };
  const request = { request_hash: "0".repeat(64), record_id: "player_1", body: "{}", created_at: 1 };
  await org.insertInto("idempotent_writes", [{ key_id: "key_1", idempotency_key: "first", ...request }]).execute();
  const health = { failing_since: null, warned_at: null, disabled_at: null, disabled_reason: null };
  const secrets = { secret: "sealed", previous_secret: null, previous_until: null };
  const webhook = { url: "https://example.com/", types: null, description: "", position: 0, created_by: "test" };
  await org.insertInto("webhooks", [{ id: webhook_id, ...webhook, ...secrets, ...health, ...times }]).execute();
  const delivery = { id: makeId("change"), seq: 1, type: "player.created", state: "waiting", attempts: "[]" } as const;
  await org.insertInto("webhook_deliveries", [{ webhook_id, ...delivery, due_at: 1, ...times }]).execute();
  await org.insertInto("contract_clock", [{ contract_id: contractId, end_date: 2, days: 0, due_at: 2 }]).execute();
  await org.insertInto("erasures", [{ record_id: "player_1", at: 1 }]).execute();
}

/** A calendar link, with the member whose it is. */
export async function insertCalendarLink(store: Store, orgId: string): Promise<void> {
  const id = makeId("calendar");
  const times = { created_at: 1, updated_at: 1 };
  const user_id = await store.writePeople(TEST_ORIGIN, async (operator) => {
    const user = await insertUser(operator, { name: "Robin", email: `${id}@example.com` }, 1);
    await operator
      .insertInto("members")
      .values({ org_id: orgId, user_id: user.id, role: "viewer", ...times })
      .execute();
    return user.id;
  });
  const facts = { name: "Mine", kinds: '["match"]', contract_ends: 0, created_at: 1 };
  const token_hash = id.slice(-26).padEnd(64, "0");
  await store.writeOrg(orgId, TEST_ORIGIN, (org) =>
    org.insertInto("calendar_links", [{ id, user_id, token_hash, team_id: null, ...facts, last_used_at: 2 }]).execute(),
  );
}
