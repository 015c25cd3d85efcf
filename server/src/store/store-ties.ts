/** What ties the stores of one server's workers together. To everybody outside they are one node, and so they have to be to each other. */
import type { ChainEnd } from "./audit-chain.ts";

export interface StoreTies {
  readonly writes: WriteCount;
  readonly gate: WriteGate;
  readonly marks: MarksTie;
}

/** How many writes all workers have committed. Whoever keeps what it read before the number changed looks again. */
export interface WriteCount {
  read(): number;
  /** After a commit, and before anybody is told of it. */
  raise(): void;
  /** Of one organization; several may share a number, and then only look again more often. */
  readOf(orgId: string): number;
  raiseOf(orgId: string): void;
}

/** Where the workers' writers wait for each other: quicker and fairer than by asking SQLite again and again. */
export interface WriteGate {
  /** Undefined where nobody has to wait. */
  enter(): Promise<void> | undefined;
  leave(): void;
}

/** How far a chain of the audit log was seen; undefined for one that is gone. */
export type SeenEnds = readonly (readonly [chainId: string, end: ChainEnd | undefined])[];

/** Who has seen how far the audit log goes tells the others; one of them writes it down. */
export interface MarksTie {
  readonly writesFile: boolean;
  tell(seen: SeenEnds): void;
  /** Hears what the others have seen. */
  listen(hear: (seen: SeenEnds) => void): void;
}
