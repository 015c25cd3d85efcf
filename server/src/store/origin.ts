import type { ActorKind } from "./people-schema.ts";

/** Who is behind a change and where it came from, as the audit log names them. */
export interface Origin {
  readonly kind: ActorKind;
  /** Of a user or a key. */
  readonly id: string | null;
  /** As a person would call them: a user's name, a key's name, a command. */
  readonly name: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** A command at the operator's shell. */
export function commandOrigin(name: string): Origin {
  return { kind: "command", id: null, name, address: null, requestId: null };
}

/** What the server does by itself. */
export const SERVER_ORIGIN: Origin = { kind: "server", id: null, name: "server", address: null, requestId: null };
