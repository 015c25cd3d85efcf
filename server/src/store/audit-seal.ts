/**
 * Seals: who knows the last hash of a chain knows all of it, and a seal says under a secret which hash that is. The secret is not in the
 * database, so who has the database alone can write a chain that is whole, but none that is sealed. All who write to a store seal with
 * the same secret. Where it was changed, `mark` tells the two apart and gives nothing of either away. A seal of another mark proves
 * nothing here: who has the database can make one up.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import type { ChainEnd } from "./audit-chain.ts";
import type { AuditSealsTable } from "./people-schema.ts";

const MARK_LENGTH = 16;
const MADE_KEPT = 1_000;

export class AuditSealer {
  readonly mark: string;
  readonly #key: KeyObject;
  /** The last seal made for each chain, which need not be made again to be known. */
  readonly #made = new Map<string, { readonly end: ChainEnd; readonly seal: string }>();

  constructor(secret: string) {
    const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
    this.mark = createHmac("sha256", derive("lineup audit mark")).update("mark").digest("hex").slice(0, MARK_LENGTH);
    this.#key = createSecretKey(derive("lineup audit seal"));
  }

  /** The row that says where the chain ends. */
  seal(chainId: string, end: ChainEnd): AuditSealsTable {
    const seal = this.#compute(chainId, end);
    this.#made.delete(chainId);
    const oldest = this.#made.size >= MADE_KEPT ? this.#made.keys().next().value : undefined;
    if (oldest !== undefined) this.#made.delete(oldest);
    this.#made.set(chainId, { end, seal });
    return { org_id: chainId, mark: this.mark, ...end, seal };
  }

  isOwnSeal(chainId: string, end: ChainEnd, seal: string): boolean {
    const made = this.#made.get(chainId);
    if (made?.seal === seal && made.end.count === end.count && made.end.hash === end.hash) return true;
    const expected = Buffer.from(this.#compute(chainId, end));
    const found = Buffer.from(seal);
    return expected.length === found.length && timingSafeEqual(expected, found);
  }

  #compute(chainId: string, { count, hash }: ChainEnd): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([chainId, count, hash]))
      .digest("hex");
  }
}

/** What the first entry under a secret says, in the chain itself: so a seal that is gone was there. */
export function noteOfBeginning(mark: string): string {
  return `Sealed from here on with the secret marked ${mark}.`;
}

/** The mark that the note of a beginning names. */
export function findBegunMark(note: string | null): string | undefined {
  return /^Sealed from here on with the secret marked ([0-9a-f]{16})\.$/.exec(note ?? "")?.[1];
}

/** Entries that other secrets than ours have sealed. */
export interface OthersStretch {
  readonly from: number;
  readonly to: number;
  /** The marks of the secrets that are said to have sealed them. */
  readonly by: readonly string[];
}

export function describeStretch({ from, to }: Pick<OthersStretch, "from" | "to">): string {
  return from === to ? `Entry ${from} was` : `Entries ${from} to ${to} were`;
}

/**
 * What an earlier version, in which machines could seal with secrets of their own, said in the chain of entries that it went on from and
 * had not sealed. Undefined where the note is no such one, or under another mark.
 */
export function findOthersStretch(note: string | null, mark: string): OthersStretch | undefined {
  const pattern =
    /^Entr(?:y|ies) (\d{1,13})(?: to (\d{1,13}))? w(?:as|ere) not sealed with the secret marked (\w{16}), but with others, marked ([\w, ]+)\.$/;
  const [, from, to, of, by = ""] = pattern.exec(note ?? "") ?? [];
  if (from === undefined || of !== mark) return undefined;
  return { from: Number(from), to: Number(to ?? from), by: by === "unknown" ? [] : by.split(", ") };
}

export function describeUnsealed(stretch: Pick<OthersStretch, "from" | "to">, mark: string): string {
  return (
    `${describeStretch(stretch)} not sealed with the secret marked ${mark}, which all who write here share: somebody without it added ` +
    "them, or a server or a command ran with another LINEUP_SECRET."
  );
}
