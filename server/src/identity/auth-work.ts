/**
 * One transaction around everything that the authentication library does for one request, and what the store writes beside it. So a
 * session, the audit entry that tells of it and the try that is given back are there together, or none of them is.
 *
 * The library calls its adapter as if each call stood alone; which transaction they belong to travels beside the calls. What takes long,
 * such as looking at a password, is done before the transaction begins: it is told here which stored hash was found to be right, and
 * the library's question is answered from that.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Origin } from "../store/audit-entry.ts";
import type { Operator, Recording, Store } from "../store/store.ts";
import type { Visit } from "./visit.ts";

export interface AuthWork {
  readonly operator: Operator;
  readonly visit: Visit;
  /** The stored hash that the password just typed was found to match. */
  readonly provenHash: string | undefined;
}

const current = new AsyncLocalStorage<AuthWork>();

export interface WorkOptions {
  readonly visit: Visit;
  readonly origin: Origin;
  readonly provenHash?: string | undefined;
}

export async function runAuthWork<T>(
  store: Store,
  { visit, origin, provenHash }: WorkOptions,
  work: (operator: Operator, recording: Recording) => Promise<T>,
): Promise<T> {
  return store.writePeople(origin, (operator, recording) =>
    current.run({ operator, visit, provenHash }, () => work(operator, recording)),
  );
}

/** As `runAuthWork`, in a transaction of the caller's. */
export function joinAuthWork<T>(operator: Operator, visit: Visit, work: () => Promise<T>): Promise<T> {
  return current.run({ operator, visit, provenHash: undefined }, work);
}

export function findAuthWork(): AuthWork | undefined {
  return current.getStore();
}

export function requireAuthWork(): AuthWork {
  const work = current.getStore();
  if (work === undefined) throw new Error("The authentication library wrote outside of a transaction.");
  return work;
}
