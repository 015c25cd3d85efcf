/**
 * Keeps what the authentication library stores in our own tables, on either database: names become columns, moments milliseconds, truth 0
 * or 1.
 *
 * What always holds: a session's token is nowhere in the store, only its hash, so that nobody who reads the store can use a session. The
 * library never notices: it is given back the token that it asked with. And a session ends at the latest when it is SESSION_MAX_MS
 * old, however often it was prolonged.
 */

import { hash } from "node:crypto";
import { DAY_MS } from "@lineup/api/tiers";
import { type CleanedWhere, type CustomAdapter, createAdapterFactory } from "better-auth/adapters";
import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { Operator, Store } from "../store/store.ts";
import { findAuthWork, requireAuthWork } from "./auth-work.ts";

const SESSION_MAX_MS = 90 * DAY_MS;

const TABLES: Readonly<Record<string, string>> = {
  user: "users",
  session: "sessions",
  account: "accounts",
  verification: "verifications",
  twoFactor: "two_factors",
};

type Row = Record<string, unknown>;
type AnyTables = Record<string, Row>;

export function authAdapter(store: Store) {
  return createAdapterFactory({
    config: {
      adapterId: "lineup",
      adapterName: "Lineup's store",
      usePlural: false,
      supportsBooleans: true,
      supportsDates: true,
      supportsNumericIds: false,
      customTransformInput: ({ data }) => {
        if (data instanceof Date) return data.getTime();
        return typeof data === "boolean" ? Number(data) : data;
      },
      customTransformOutput: ({ data, fieldAttributes }) => {
        if (fieldAttributes.type === "date" && typeof data === "number") return new Date(data);
        return fieldAttributes.type === "boolean" && typeof data === "number" ? data === 1 : data;
      },
    },
    adapter: () => makeAdapter(store.operator),
  });
}

function makeAdapter(reads: Operator): CustomAdapter {
  const reader = () => tablesOf(findAuthWork()?.operator ?? reads);
  const writer = () => tablesOf(requireAuthWork().operator);
  return {
    create: async ({ model, data }) => {
      const row = { ...data, ...whereFrom(model) };
      await writer()
        .insertInto(tableOf(model))
        .values(toColumns(model, row as Row))
        .execute();
      return row;
    },
    findOne: async <T>({ model, where }: FindOne) => {
      return firstOf<T>(model, await select(reader(), model, where).limit(1).execute(), where);
    },
    findMany: async <T>({ model, where = [], limit, sortBy, offset }: FindMany) => {
      let query = select(reader(), model, where).limit(limit);
      if (sortBy !== undefined) query = query.orderBy(columnOf(sortBy.field), sortBy.direction);
      if (offset !== undefined) query = query.offset(offset);
      return (await query.execute()).map((row) => fromColumns(model, row, where)) as T[];
    },
    count: async ({ model, where = [] }) => {
      const counted = await reader()
        .selectFrom(tableOf(model))
        .where((eb) => matches(eb, model, where))
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirst();
      return Number(counted?.count ?? 0);
    },
    update: async <T>({ model, where, update }: { model: string; where: CleanedWhere[]; update: T }) => {
      return firstOf<T>(model, await change(writer(), model, where, update as Row), where);
    },
    updateMany: async ({ model, where, update }) => (await change(writer(), model, where, update)).length,
    incrementOne: async <T>({ model, where, increment, set }: Increment) => {
      return firstOf<T>(model, await change(writer(), model, where, { ...set }, increment), where);
    },
    delete: async ({ model, where }) => void (await remove(writer(), model, where)),
    deleteMany: async ({ model, where }) => (await remove(writer(), model, where)).length,
    consumeOne: async <T>({ model, where }: FindOne) => {
      const db = writer();
      const one = select(db, model, where).clearSelect().select("id").limit(1);
      const consumed = await db.deleteFrom(tableOf(model)).where("id", "in", one).returningAll().execute();
      return firstOf<T>(model, consumed, where);
    },
  };
}

type FindOne = Parameters<CustomAdapter["findOne"]>[0];
type FindMany = Parameters<CustomAdapter["findMany"]>[0];
type Increment = Parameters<NonNullable<CustomAdapter["incrementOne"]>>[0];

/** The library names tables and columns at run time; ours have types at compile time. */
function tablesOf(operator: Operator): Kysely<AnyTables> {
  return operator as unknown as Kysely<AnyTables>;
}

function select(db: Kysely<AnyTables>, model: string, where: readonly CleanedWhere[]) {
  return db
    .selectFrom(tableOf(model))
    .selectAll()
    .where((eb) => matches(eb, model, where));
}

async function change(
  db: Kysely<AnyTables>,
  model: string,
  where: readonly CleanedWhere[],
  set: Row,
  increment: Record<string, number> = {},
): Promise<Row[]> {
  return db
    .updateTable(tableOf(model))
    .set((eb) => {
      const added = Object.entries(increment).map(([field, by]) => [columnOf(field), eb(columnOf(field), "+", by)]);
      const columns: Row = { ...toColumns(model, set), ...Object.fromEntries(added) };
      if (model === "session" && columns.expires_at !== undefined) {
        const latest = sql<number>`created_at + ${SESSION_MAX_MS}`;
        const wanted = columns.expires_at as number;
        columns.expires_at = eb.case().when(latest, "<", wanted).then(latest).else(wanted).end();
      }
      return columns;
    })
    .where((eb) => matches(eb, model, where))
    .returningAll()
    .execute();
}

function remove(db: Kysely<AnyTables>, model: string, where: readonly CleanedWhere[]): Promise<Row[]> {
  return db
    .deleteFrom(tableOf(model))
    .where((eb) => matches(eb, model, where))
    .returning("id")
    .execute();
}

const OPERATORS = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=", in: "in", not_in: "not in" } as const;

function matches(eb: ExpressionBuilder<AnyTables, string>, model: string, where: readonly CleanedWhere[]) {
  return eb.and(
    where.map(({ field, operator, value, connector, mode }) => {
      const known = OPERATORS[operator as keyof typeof OPERATORS];
      if (known === undefined || connector !== "AND" || mode !== "sensitive") {
        throw new Error(`The store was asked for ${model}.${field} in a way that it does not know: ${operator}.`);
      }
      const column = columnOf(field);
      const stored = storedValue(model, field, value);
      if (stored === null) return eb(column, operator === "ne" ? "is not" : "is", null);
      return eb(column, known, stored);
    }),
  );
}

function tableOf(model: string): string {
  const table = TABLES[model];
  if (table === undefined) throw new Error(`The store has no table for ${model}.`);
  return table;
}

function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function fieldOf(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toColumns(model: string, row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [columnOf(field), storedValue(model, field, value)]),
  );
}

/** The row as the library knows it: with the token that it asked with, which the store does not have. */
function fromColumns(model: string, row: Row, where: readonly CleanedWhere[]): Row {
  const fields = Object.fromEntries(Object.entries(row).map(([column, value]) => [fieldOf(column), value]));
  if (model !== "session") return fields;
  const asked = where.find(({ field, operator }) => field === "token" && operator === "eq");
  return asked === undefined ? fields : { ...fields, token: asked.value };
}

function firstOf<T>(model: string, rows: readonly Row[], where: readonly CleanedWhere[]): T | null {
  const [first] = rows;
  return (first === undefined ? null : fromColumns(model, first, where)) as T | null;
}

function storedValue(model: string, field: string, value: unknown): unknown {
  if (model !== "session" || field !== "token") return value;
  return Array.isArray(value) ? value.map((one) => hashToken(String(one))) : hashToken(String(value));
}

export function hashToken(token: string): string {
  return hash("sha256", token);
}

/** A new session is of the address and browser that the server knows, not of what headers say. */
function whereFrom(model: string): Row {
  if (model !== "session") return {};
  const { address, userAgent } = requireAuthWork().visit;
  return { ipAddress: address, userAgent: userAgent?.slice(0, 500) ?? null };
}
