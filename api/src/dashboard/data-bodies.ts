/** What staff may write of a record, and what they may ask of a list: from the resource's definition and the public endpoint's parameters. */
import * as z from "zod";
import { externalIdsPatch } from "../fields.ts";
import { type Parameter, ParameterFault, type ParameterTable } from "../parameters.ts";
import type { AnyResource, Field } from "../resource.ts";
import { moment } from "./action.ts";

/** What clients and imports write, staff write too; what is left to the code is not. */
type Written<F> = { [K in keyof F as F[K] extends Field<z.ZodType, "server"> ? never : K & string]: F[K] };
type SchemaOf<F> = F extends Field<infer S> ? S : never;
type Patched<F, K> = K extends "externalIds" ? typeof externalIdsPatch : SchemaOf<F>;

type CreateShape<R extends AnyResource> = {
  -readonly [K in keyof Written<R["fields"]>]: Written<R["fields"]>[K] extends Field<z.ZodType, "clients", true>
    ? SchemaOf<Written<R["fields"]>[K]>
    : z.ZodOptional<SchemaOf<Written<R["fields"]>[K]>>;
};
type UpdateShape<R extends AnyResource, Fixed> = {
  -readonly [K in Exclude<keyof Written<R["fields"]>, Fixed>]: z.ZodOptional<Patched<Written<R["fields"]>[K], K>>;
};

function writtenFields(resource: AnyResource): [string, Field][] {
  return Object.entries(resource.fields).filter(([, one]) => one.writtenBy !== "server");
}

export function createBody<R extends AnyResource>(resource: R): z.ZodObject<CreateShape<R>, z.core.$strict> {
  const shape = writtenFields(resource).map(([name, { schema, required }]) => [
    name,
    required ? schema : schema.optional(),
  ]);
  return z.strictObject(Object.fromEntries(shape)) as never;
}

/** Which version of the record was seen: where it has changed since, nothing is written. */
export const seen = { updatedAt: moment };

/** `fixed` are the fields that belong to the record for good. */
export function updateBody<R extends AnyResource, const F extends string = never>(
  resource: R,
  fixed: readonly F[] = [],
): z.ZodObject<UpdateShape<R, F> & typeof seen, z.core.$strict> {
  const shape = writtenFields(resource)
    .filter(([name]) => !(fixed as readonly string[]).includes(name))
    .map(([name, { schema }]) => [name, (name === "externalIds" ? externalIdsPatch : schema).optional()]);
  return z.strictObject({ ...Object.fromEntries(shape), ...seen }) as never;
}

type QueryShape<Q extends ParameterTable> = {
  -readonly [K in keyof Q & string]: z.ZodOptional<
    Q[K] extends Parameter<infer T> ? z.ZodType<Exclude<T, ParameterFault>, string> : never
  >;
};

/** The parameters of a public list, each read as it reads it. */
export function listQuery<const Q extends ParameterTable>(table: Q): z.ZodObject<QueryShape<Q>, z.core.$strict> {
  const shape = Object.entries(table).map(([name, parameter]) => [name, readParameter(parameter).optional()]);
  return z.strictObject(Object.fromEntries(shape)) as never;
}

function readParameter(parameter: Parameter<unknown>): z.ZodType {
  return z.string().transform((text, context) => {
    const value = parameter.parse(text);
    if (!(value instanceof ParameterFault)) return value;
    context.issues.push({ code: "custom", message: value.message, input: text });
    return z.NEVER;
  });
}
