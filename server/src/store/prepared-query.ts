/**
 * Queries that are asked again and again with other values. To build one and to write its text takes several times as long as SQLite takes
 * to answer it, so it is built once for each database, with a mark in the place of every value, the organization's id among them. Only
 * the values are new each time.
 */
import type { Compilable, CompiledQuery, DialectAdapter } from "kysely";

export type QueryValues = Readonly<Record<string, string | number | null>>;

/** Stands for a value while the query is built. It is an object, so no value that anybody sends is ever taken for it. */
export class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const ORGANIZATION = new Place("the organization");

export class BuiltQuery<R> {
  readonly query: CompiledQuery<R>;
  readonly writes: boolean;
  /** How many values it was built with; not one more may be given to it, which it would silently leave out. */
  readonly #size: number;

  constructor(query: CompiledQuery<R>, writes: boolean, size: number) {
    this.query = query;
    this.writes = writes;
    this.#size = size;
  }

  /** Its parameters, in their order. */
  fill(orgId: string, values: QueryValues): readonly unknown[] {
    if (Object.keys(values).length !== this.#size) throw new Error("A prepared query always takes the same values.");
    return this.query.parameters.map((one) => (one instanceof Place ? valueAt(one, orgId, values) : one));
  }
}

/** An organization's handle, as far as a query is built on one. */
interface Handle {
  readonly hasChanged: boolean;
}

export class PreparedQuery<O extends Handle, V extends QueryValues, R> {
  readonly #build: (org: O, values: V) => Compilable<R>;
  /** By the kind of adapter: there is one for each database, however many handles there are on it. */
  readonly #built = new Map<unknown, BuiltQuery<R>>();

  constructor(build: (org: O, values: V) => Compilable<R>) {
    this.#build = build;
  }

  /** `makeHandle` makes a handle on the organization of an id, on the database with that adapter. */
  buildFor(adapter: DialectAdapter, makeHandle: (orgId: string) => O, values: V): BuiltQuery<R> {
    const known = this.#built.get(adapter.constructor);
    if (known !== undefined) return known;
    const built = this.#buildOnce(makeHandle, values);
    this.#built.set(adapter.constructor, built);
    return built;
  }

  #buildOnce(makeHandle: (orgId: string) => O, values: V): BuiltQuery<R> {
    const names = Object.keys(values);
    const places = Object.fromEntries(names.map((name) => [name, new Place(name)]));
    // Whatever a query is built of, Kysely takes for a value and hands on as it is.
    const org = makeHandle(ORGANIZATION as unknown as string);
    const query = this.#build(org, places as unknown as V).compile();
    return new BuiltQuery(query, org.hasChanged, names.length);
  }
}

/** A statement that was written by hand, with values. */
export function withValues<R>(statement: CompiledQuery, parameters: readonly unknown[]): CompiledQuery<R> {
  return { ...statement, parameters };
}

function valueAt(place: Place, orgId: string, values: QueryValues): string | number | null {
  if (place === ORGANIZATION) return orgId;
  const value = values[place.name];
  if (value === undefined) throw new Error(`A prepared query was not given its value for ${place.name}.`);
  return value;
}
