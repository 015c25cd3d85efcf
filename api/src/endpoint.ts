/**
 * An endpoint is one record of data. Routing, authentication, limits, validation, the envelope, the reference and the
 * contract tests all derive from it. A record names the permission that opens it; without one it does not compile.
 */
import type * as z from "zod";
import type { ParameterTable } from "./parameters.ts";
import type { Permission } from "./permissions.ts";

/** `any` is for what every key may call: a key holds at least one permission. `any read` is for those that may read anything. */
export type RequiredPermission = Permission | "any" | "any read";

export interface BodySchema {
  /** One schema a writable field. All are optional here; `required` names those that must be there. */
  readonly fields: z.ZodObject;
  readonly required: readonly string[];
  /** Fields the resource shows that no client may set. */
  readonly readOnly: readonly string[];
  /** Every usable body holds at least one field: what a PATCH asks for. */
  readonly atLeastOne: boolean;
  readonly example: Readonly<Record<string, unknown>>;
}

export interface Endpoint<Q extends ParameterTable = ParameterTable, R extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Relative to the base URL, with `{id}` where an identifier stands. */
  readonly path: string;
  readonly permission: RequiredPermission;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly query: Q;
  readonly body?: BodySchema;
  /** The resource in `data`, or one item of it for a list. */
  readonly result: R;
  readonly list: boolean;
  /** Whether its answer changes by writes alone, never by the passing of time, and so may be kept until the next write whenever that is. */
  readonly timeless: boolean;
}

export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}

/** The prefix that ends {base_url}; it carries the version. */
export const BASE_PATH = "/api/public/v1";
