/**
 * The six tables that import reads and export writes. Their columns are the API's writable fields, in the API's order
 * and judged by the API's schemas; references to other records go by those records' `externalId`, and so their columns
 * lose the `Id` at the end.
 */
import { contractFields } from "@lineup/api/contracts";
import * as field from "@lineup/api/fields";
import { playerFields } from "@lineup/api/players";
import { prospectFields } from "@lineup/api/prospects";
import { assignmentFields } from "@lineup/api/roster";
import { scheduleFields } from "@lineup/api/schedule";
import { teamFields } from "@lineup/api/teams";
import * as z from "zod";

export const TABLE_NAMES = ["teams", "players", "roster", "contracts", "schedule", "prospects"] as const;

export type TableName = (typeof TABLE_NAMES)[number];
export type ReferenceTarget = "teams" | "players";

/** How a cell is written: as it is, as a moment, as a number, as true or false, as JSON, as another row's externalId. */
export type CellKind = "text" | "instant" | "number" | "boolean" | "json" | "reference";

export interface Column {
  readonly name: string;
  /** The field of the record. */
  readonly field: string;
  readonly kind: CellKind;
  readonly schema: z.ZodType;
  /** What a reference refers to. */
  readonly target: ReferenceTarget | undefined;
  /** Whether an empty cell clears the field of a record that exists. */
  readonly nullable: boolean;
  /** Whether an empty text is a value of its own, where a file can tell it from nothing. */
  readonly holdsEmptyText: boolean;
  /** Whether few values come again and again, so that judging each once is enough. */
  readonly repeats: boolean;
}

export interface Table {
  readonly name: TableName;
  readonly columns: readonly Column[];
  readonly byName: ReadonlyMap<string, Column>;
}

const REFERENCES: Readonly<Record<string, ReferenceTarget>> = {
  teamId: "teams",
  targetTeamId: "teams",
  playerId: "players",
};

const reference = field.idOf("team");
const externalId: Column = describeColumn("externalId", field.shortText);

function describeColumn(name: string, schema: z.ZodType): Column {
  const target = REFERENCES[name];
  const kind = target === undefined ? kindOfCell(name, innerOf(schema)) : "reference";
  return {
    name: target === undefined ? name : name.replace(/Id$/, ""),
    field: name,
    kind,
    schema: target === undefined ? schema : field.shortText,
    target,
    nullable: schema.safeParse(null).success,
    // A role is any text to its schema, and never none.
    holdsEmptyText: kind === "text" && name !== "role" && schema.safeParse("").success,
    repeats: kind === "reference" || isAmongFew(name, innerOf(schema)),
  };
}

function innerOf(schema: z.ZodType): unknown {
  return schema instanceof z.ZodNullable ? schema.unwrap() : schema;
}

function kindOfCell(name: string, schema: unknown): CellKind {
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodNumber) return /(?:At|Date)$/.test(name) ? "instant" : "number";
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum ? "text" : "json";
}

function isAmongFew(name: string, schema: unknown): boolean {
  return schema instanceof z.ZodEnum || ["role", "timezone", "nationality", "region"].includes(name);
}

function defineTable(name: TableName, fields: z.ZodObject, references: z.ZodRawShape = {}): Table {
  const shape = { ...references, ...fields.shape } as Readonly<Record<string, z.ZodType>>;
  const columns = [externalId, ...Object.entries(shape).map(([field, schema]) => describeColumn(field, schema))];
  return { name, columns, byName: new Map(columns.map((column) => [column.name, column])) };
}

/** `externalIds` is merged, as in PATCH. */
const merged = { externalIds: field.externalIdsPatch };

export const TABLES: Readonly<Record<TableName, Table>> = {
  teams: defineTable("teams", teamFields.extend(merged)),
  players: defineTable("players", playerFields.extend(merged)),
  roster: defineTable("roster", assignmentFields, { playerId: reference, teamId: reference }),
  contracts: defineTable("contracts", contractFields.extend(merged), { playerId: reference }),
  schedule: defineTable("schedule", scheduleFields.extend(merged)),
  prospects: defineTable("prospects", prospectFields.extend(merged), { playerId: reference.nullable() }),
};
