/**
 * What has been added to the tables of records since the first step, oldest first. A field that is added to a resource needs an entry
 * here, and so does a new resource; both databases' statements follow from their definitions. The first step makes everything else.
 *
 * A step that stores have taken is never edited: `sqlite-migrations.test.ts` knows the sums of all. So whatever else is changed in
 * a definition (a check, an index, the values of a list) needs a step that is written out, and the first step as it was.
 */
import { RESOURCES, type ResourceName } from "@lineup/api/endpoints";
import type { AnyResource } from "@lineup/api/resource";
import { addColumn, createTable, type Dialect } from "./record-ddl.ts";

interface RecordStep {
  readonly name: string;
  readonly makes?: readonly ResourceName[];
  readonly adds?: Readonly<Partial<Record<ResourceName, readonly string[]>>>;
}

const RECORD_STEPS: readonly RecordStep[] = [];

/** The resources whose tables the first step makes. */
export const FIRST_RESOURCES: readonly AnyResource[] = RESOURCES.filter(({ name }) =>
  RECORD_STEPS.every(({ makes }) => makes?.includes(name) !== true),
);

/** The fields of a resource that a later step than that of its table adds. */
export function laterFields(name: string): readonly string[] {
  return RECORD_STEPS.flatMap(({ adds }) => adds?.[name as ResourceName] ?? []);
}

/** The steps as SQL; `guard` is what a database wants for a new table beside it. */
export function writeRecordSteps(dialect: Dialect, guard: (resource: AnyResource) => string = () => "") {
  return RECORD_STEPS.map(({ name, makes = [], adds = {} }) => {
    const made = makes.map(requireResource);
    const tables = made.map((resource) => createTable(resource, dialect, laterFields(resource.name)) + guard(resource));
    const columns = Object.entries(adds).flatMap(([of, fields]) =>
      fields.map((field) => addColumn(requireResource(of), field, dialect)),
    );
    return { name, sql: [...tables, ...columns].join("\n") };
  });
}

function requireResource(name: string): AnyResource {
  const found = RESOURCES.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`There is no resource ${name}.`);
  return found;
}
