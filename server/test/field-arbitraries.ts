/** Values for the fields that clients write, made from a resource's definition: a new field is tried on arrival. */
import { RESOURCES, type RecordKind } from "@lineup/api/endpoints";
import { type AnyResource, type Field, formOf, innerOf, isLongText, isNullable } from "@lineup/api/resource";
import fc from "fast-check";
import * as z from "zod";

/** What tests have their own of. */
export interface ValueSources {
  readonly text: fc.Arbitrary<string>;
  readonly longText: fc.Arbitrary<string>;
  readonly moment: fc.Arbitrary<number>;
  readonly number: fc.Arbitrary<number>;
  readonly url: fc.Arbitrary<string>;
  readonly externalIds: fc.Arbitrary<unknown>;
  readonly idOf: (kind: RecordKind) => fc.Arbitrary<string>;
  /** How seldom a field that may be null is: once in so many. */
  readonly nullOnceIn: number;
}

export function fieldArbitraries(resource: AnyResource, sources: ValueSources): Record<string, fc.Arbitrary<unknown>> {
  const written = Object.entries(resource.fields).filter(([, one]) => one.writtenBy === "clients");
  return Object.fromEntries(
    written.map(([name, one]) => {
      const value = name === "externalIds" ? sources.externalIds : valuesFor(name, one, sources);
      return [name, isNullable(one.schema) ? fc.option(value, { nil: null, freq: sources.nullOnceIn }) : value];
    }),
  );
}

function valuesFor(name: string, one: Field, sources: ValueSources): fc.Arbitrary<unknown> {
  const inner = innerOf(one.schema);
  const target = RESOURCES.find(({ table }) => table === one.refersTo);
  if (target !== undefined) return sources.idOf(target.kind);
  if (inner instanceof z.ZodEnum) return fc.constantFrom(...inner.options);
  switch (formOf(one)) {
    case "text":
      return textOf(one, sources);
    case "moment":
      return sources.moment;
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return numberOf(inner as z.ZodNumber);
    case "json":
      if (inner instanceof z.ZodArray) return fc.array(sources.text, { maxLength: 3 });
      return fc.dictionary(sources.text, fc.oneof(sources.number, sources.text), { maxKeys: 3 });
    default:
      throw new Error(`No value is known for ${name}; add its form here.`);
  }
}

function textOf(one: Field, sources: ValueSources): fc.Arbitrary<string> {
  const { enum: values, pattern, minLength } = innerOf(one.schema).meta() ?? {};
  if (Array.isArray(values)) return fc.constantFrom(...(values as string[]));
  if (pattern === "^[A-Z]{2}$") return fc.constantFrom("SE", "KR", "BR");
  if (pattern !== undefined) return sources.url;
  if (isLongText(one)) return sources.longText;
  return minLength === 1 ? sources.text : fc.oneof(sources.text, fc.constant(""));
}

function numberOf({ minValue, maxValue, isInt }: z.ZodNumber): fc.Arbitrary<number> {
  const [min, max] = [minValue ?? 0, maxValue ?? 1_000];
  if (isInt) return fc.integer({ min, max });
  return fc.oneof(fc.constantFrom(min, max, 0.1, 7.3, 2 / 3), fc.double({ min, max, noNaN: true }));
}
