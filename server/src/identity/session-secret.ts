/**
 * What cookies are signed and second factors are sealed with. It is derived from the operator's secret; without one, from a random text
 * that the first server made and all servers of the store share.
 *
 * What was sealed before the operator set a secret can still be opened afterwards, because the text in the store stays.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";

const STORED_NAME = "session-secret";

export interface SessionSecret {
  readonly version: number;
  readonly value: string;
}

/** The one in use first, then those that old things can still be opened with. */
export async function readSessionSecrets(store: Store, secret: string | undefined): Promise<SessionSecret[]> {
  const stored = { version: 0, value: derive(await findOrMake(store), "sessions") };
  return secret === undefined ? [stored] : [{ version: markOf(secret), value: derive(secret, "sessions") }, stored];
}

/** A secret for one purpose, which tells nothing of the others that come from the same one. */
export function derive(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(`lineup ${purpose}`).digest("base64url");
}

/** Tells secrets apart, so that what another one has sealed is known for what it is. */
function markOf(secret: string): number {
  return 1 + (createHash("sha256").update(derive(secret, "mark")).digest().readUInt32BE() >>> 1);
}

async function findOrMake(store: Store): Promise<string> {
  const found = await find(store);
  if (found !== undefined) return found;
  // Of servers that start together, the first one's is kept.
  await store.writePeople(SERVER_ORIGIN, (operator) =>
    operator
      .insertInto("installation")
      .values({ name: STORED_NAME, value: randomBytes(32).toString("base64url") })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute(),
  );
  const made = await find(store);
  if (made === undefined) throw new Error("The secret of sessions could not be kept.");
  return made;
}

async function find(store: Store): Promise<string | undefined> {
  const row = await store.operator
    .selectFrom("installation")
    .select("value")
    .where("name", "=", STORED_NAME)
    .executeTakeFirst();
  return row?.value;
}
