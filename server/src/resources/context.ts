/** What a verb gets and gives. Handlers never see HTTP: they read and write one organization and throw `ApiError`s. */
import type { Endpoint } from "@lineup/api/endpoint";
import type { AnyEndpoint, EndpointName } from "@lineup/api/endpoints";
import type { ErrorDetail } from "@lineup/api/errors";
import type { ParametersOf, ParameterTable } from "@lineup/api/parameters";
import type * as z from "zod";
import type { Origin } from "../store/audit-entry.ts";
import type { List } from "../store/list.ts";
import type { OrgStore } from "../store/org-store.ts";

export interface VerbContext {
  /** For a verb that writes, in a transaction: everything that it writes is there after it, or nothing is. It may run again, so it changes nothing else. */
  readonly org: OrgStore;
  /**
   * The moment of the request; for a verb that writes, that at which its turn has come: writes come one after another, so what is written later also says
   * so, and nobody who asks for changes since the last one misses any.
   */
  readonly now: number;
}

export interface Input<Q extends ParameterTable = ParameterTable, B = Readonly<Record<string, unknown>>> {
  /** The `{id}` of the path; empty where the path has none. */
  readonly id: string;
  readonly query: ParametersOf<Q>;
  readonly body: B;
}

type EndpointNamed<N extends EndpointName> = Extract<AnyEndpoint, { name: N }>;
type QueryOf<E> = E extends Endpoint<infer Q> ? Q : never;
type ResultOf<E> = E extends { result: infer R extends z.ZodType } ? z.output<R> : never;
type BodyOf<E> = E extends { body: { fields: infer F extends z.ZodType; required: infer R } }
  ? Partial<z.output<F>> & Pick<z.output<F>, Extract<R extends readonly (infer K)[] ? K : never, keyof z.output<F>>>
  : undefined;

export type Verb<N extends EndpointName> = (
  context: VerbContext,
  input: Input<QueryOf<EndpointNamed<N>>, BodyOf<EndpointNamed<N>>>,
) => EndpointNamed<N>["list"] extends true ? List<ResultOf<EndpointNamed<N>>> : Promise<ResultOf<EndpointNamed<N>>>;

export type WritingEndpoint = Exclude<AnyEndpoint, { method: "GET" }>["name"];
/** `describeKey` is about the key and not the organization's data, and `listChanges` about what the key may see of it: http/ answers both. */
export type ReadingEndpoint = Exclude<EndpointName, WritingEndpoint | "describeKey" | "listChanges">;

/**
 * A write that a request asks for, apart from the request: all that its verb needs.
 */
export interface WantedWrite {
  readonly name: WritingEndpoint;
  readonly orgId: string;
  readonly origin: Origin;
  /** The `{id}` of the path; empty where the path has none. */
  readonly id: string;
  /** Parsed by the endpoint's record. */
  readonly query: Input["query"];
  /** Judged by it: every field is of its form. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Under which the same write is made once, however often the origin's API key asks for it. */
  readonly idempotencyKey?: string | undefined;
  /** Of an update: whether the record, as it is before, is the one that the client has seen. */
  readonly isExpected?: ((record: { readonly id: string }) => boolean) | undefined;
}

/** The record as it is after the write, as JSON. */
export interface Written {
  readonly id: string;
  readonly json: string;
  /** Under an `Idempotency-Key`: which request wrote it, where that is known, and when. Every answer to the key says so. */
  readonly first?: { readonly requestId: string | undefined; readonly at: number };
  /** It was written before, and this is what was said of it then. */
  readonly isReplayed?: boolean;
}

/** Resolves when the write is on the disk; rejects with what the verb, or the store, refuses it with. */
export type MakeWrite = (wanted: WantedWrite) => Promise<Written>;

/**
 * What is wrong with a body beyond its form, so that everything can be reported at once. `usable` holds the fields whose
 * form is right; a rule that needs a faulty one is left alone.
 */
export type FaultFinder = (
  context: VerbContext,
  id: string,
  usable: Readonly<Record<string, unknown>>,
  isFaulty: (field: string) => boolean,
) => Promise<readonly ErrorDetail[]>;
