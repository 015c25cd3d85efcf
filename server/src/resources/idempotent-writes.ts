/**
 * Writes under an `Idempotency-Key`. What always holds: under one key of an API key, one write is made in 24 hours, and who asks for it again is told
 * what was answered then. The answer is kept in the transaction of the write, so there is never one without the other, wherever the server was killed.
 * Writers of one organization wait for each other in both databases, over all nodes; so who asks while the write is under way finds its answer
 * here, or, where it was refused, nothing, and tries by itself.
 */
import { hash } from "node:crypto";
import { headerError } from "@lineup/api/errors";
import { ANSWER_KEPT_MS } from "../store/event-schema.ts";
import { prepareQuery } from "../store/org-store.ts";
import type { VerbContext, WantedWrite, Written } from "./context.ts";

const selectAnswer = prepareQuery((org, { keyId, key, since }: { keyId: string; key: string; since: number }) =>
  org
    .selectFrom("idempotent_writes")
    .select(["request_hash", "record_id", "body"])
    .where("key_id", "=", keyId)
    .where("idempotency_key", "=", key)
    .where("created_at", ">", since),
);

interface KeptAnswer {
  readonly key_id: string;
  readonly idempotency_key: string;
  readonly request_hash: string;
  readonly record_id: string;
  readonly body: string;
  readonly created_at: number;
}

/** One that is too old to count, and was not yet removed, gives way. */
const keepAnswer = prepareQuery((org, row: KeptAnswer & Readonly<Record<string, string | number>>) =>
  org.insertInto("idempotent_writes", [row]).onConflict((kept) =>
    kept.columns(["org_id", "key_id", "idempotency_key"]).doUpdateSet(({ ref }) => ({
      request_hash: ref("excluded.request_hash"),
      record_id: ref("excluded.record_id"),
      body: ref("excluded.body"),
      created_at: ref("excluded.created_at"),
    })),
  ),
);

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
  const [known] = await org.run(selectAnswer, { keyId, key, since: now - ANSWER_KEPT_MS });
  if (known !== undefined && known.request_hash !== request_hash) {
    throw headerError(
      "Idempotency-Key",
      "was used for another request in the last 24 hours; send a new key with a new request, or that request as it was",
    );
  }
  if (known !== undefined) return { id: known.record_id, json: known.body, isReplayed: true };
  const written = await write();
  const answer = { request_hash, record_id: written.id, body: written.json, created_at: now };
  await org.run(keepAnswer, { key_id: keyId, idempotency_key: key, ...answer });
  return written;
}

/** Of what is asked for, not of its bytes: a client that makes its JSON anew may write the same names in another order. */
function hashRequest({ name, id, query, body }: WantedWrite): string {
  return hash("sha256", JSON.stringify([name, id, query, body], sortNames));
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
