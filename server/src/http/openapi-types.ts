/** The parts of OpenAPI 3.1 that Lineup's own document uses, no more. */
import type { ErrorCode } from "@lineup/api/errors";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface Reference {
  readonly $ref: string;
}

export interface HeaderObject {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example: string | number;
}

export interface ExampleObject {
  readonly summary: string;
  readonly value: unknown;
  readonly "x-disabled"?: boolean;
}

export interface MediaType {
  readonly schema: Reference;
  readonly examples: Readonly<Record<string, ExampleObject>>;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  /** Absent where there is no body. */
  readonly content?: { readonly "application/json": MediaType };
  /** The error codes that can come with this status here. */
  readonly "x-error-codes"?: readonly ErrorCode[];
}

export interface ParameterObject {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly examples: Readonly<Record<string, ExampleObject>>;
  readonly style?: "form";
  readonly explode?: boolean;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** The permission the key must hold, or `any`. */
  readonly "x-permission": string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly description: string;
    readonly required: true;
    readonly content: { readonly "application/json": MediaType };
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}
