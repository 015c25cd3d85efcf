/**
 * Writes under an `Idempotency-Key`. What always holds: under one key of an API key, one write is made in 24 hours, and who asks for it again is told
 * what was answered then. The answer is kept in the transaction of the write, so there is never one without the other, wherever the server was killed.
 * Writers of one organization wait for each other in both databases, over all nodes; so who asks while the write is under way finds its answer
 * here, or, where it was refused, nothing, and tries by itself.
 *
 * An answer outlives its record: without it, a retry would make the record again. Of a person who is erased only the key is left, which is refused.
 * Of keys, hashes are stored: a client may have put a name into one.
 */
import { hash } from "node:crypto";
import { headerError } from "@lineup/api/errors";
import { ANSWER_RETENTION_MS } from "../store/event-tables.ts";
import { type OrgStore, prepareQuery } from "../store/org-store.ts";
import type { Database } from "../store/schema.ts";
import type { VerbContext, WantedWrite, Written } from "./context.ts";

const selectAnswer = prepareQuery((org, { keyId, keyHash, since }: { keyId: string; keyHash: string; since: number }) =>
  org
    .selectFrom("idempotent_writes")
    .select(["request_hash", "record_id", "body", "request_id", "created_at"])
    .where("key_id", "=", keyId)
    .where("idempotency_key", "=", keyHash)
    .where("created_at", ">", since),
);

type StoredAnswer = Omit<Database["idempotent_writes"], "org_id">;

/** One that is too old to count, and was not yet removed, gives way. */
const storeAnswer = prepareQuery((org, row: StoredAnswer) =>
  org.insertInto("idempotent_writes", [row]).onConflict((kept) =>
    kept.columns(["org_id", "key_id", "idempotency_key"]).doUpdateSet(({ ref }) => ({
      request_hash: ref("excluded.request_hash"),
      record_id: ref("excluded.record_id"),
      body: ref("excluded.body"),
      request_id: ref("excluded.request_id"),
      created_at: ref("excluded.created_at"),
    })),
  ),
);

/** What stands in the place of an answer that was erased. The hash of the request would confirm a guess at what it said. */
const ERASED = { request_hash: "0".repeat(64), body: "" };

/** What is refused throws, and is not kept: it can be corrected, and sent again under the same key. */
export async function writeOnce(
  { org, now }: VerbContext,
  wanted: WantedWrite,
  key: string,
  write: () => Promise<Written>,
): Promise<Written> {
  const keyId = wanted.origin.id;
  if (keyId === null) throw new Error("Only an API key writes under an Idempotency-Key.");
  const request_hash = hashRequest(wanted);
  const keyHash = hash("sha256", `${keyId} ${key}`);
  const [known] = await org.run(selectAnswer, { keyId, keyHash, since: now - ANSWER_RETENTION_MS });
  if (known?.body === ERASED.body) {
    throw headerError(
      "Idempotency-Key",
      "belongs to a write that was made: what this request made was erased since; to make it again all the same, send a new key",
    );
  }
  if (known !== undefined && known.request_hash !== request_hash) {
    throw headerError(
      "Idempotency-Key",
      "was used for another request in the last 24 hours; send a new key with a new request, or that request as it was",
    );
  }
  if (known !== undefined) {
    const first = { requestId: known.request_id ?? undefined, at: known.created_at };
    return { id: known.record_id, json: known.body, first, isReplayed: true };
  }
  const written = await write();
  const { requestId } = wanted.origin;
  const answer = { request_hash, record_id: written.id, body: written.json, request_id: requestId, created_at: now };
  await org.run(storeAnswer, { key_id: keyId, idempotency_key: keyHash, ...answer });
  return { ...written, first: { requestId: requestId ?? undefined, at: now } };
}

/** Takes the values out of what was answered of records. Not by more ids than a statement takes. */
export async function eraseAnswers(org: OrgStore, recordIds: readonly string[]): Promise<void> {
  await org.updateTable("idempotent_writes").set(ERASED).where("record_id", "in", recordIds).execute();
}

/** Of what is asked for, not of its bytes: a client that makes its JSON anew may write the same names in another order. */
function hashRequest({ name, id, query, body }: WantedWrite): string {
  return hash("sha256", JSON.stringify([name, id, query, body], sortNames));
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
