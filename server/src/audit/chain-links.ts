/**
 * Whether each entry of a chain follows from the one before it, and whether its values are those that were recorded.
 *
 * Usually an entry's hash says so. Entries of the version before have hashes over their values, which are gone once those were erased; so
 * a stretch of such entries is proven by the entry that ended its conversion (store/audit-conversion.ts): that one goes on from the hash
 * that the stretch would have, were all of it hashed as entries are today. Until that entry comes, what cannot be seen from the hashes
 * themselves is unproven, and if it never comes, that is a finding.
 *
 * Values may be missing where they were erased. That is only so where a later entry names the record as erased.
 */
import type { Selectable } from "kysely";
import { CONVERTED, findErasedIds } from "../store/audit-chain.ts";
import { commitTo, HIDDEN, hashOldRow, hashRow, holdsValues } from "../store/audit-entry.ts";
import type { AuditTable } from "../store/audit-tables.ts";

type Row = Selectable<AuditTable>;

export class ChainLinks {
  #previousHash = "";
  /** Within a stretch that is hashed otherwise: what its hash would be. */
  #stretchHash: string | undefined;
  #unproven: { from: number; to: number } | undefined;
  /** Whether values were erased in the stretch: from there on its hashes are hidden. */
  #hasErased = false;
  /** By record, the entries whose values are missing and of which nobody has said why yet. */
  readonly #blank = new Map<string, number[]>();

  /** The next entry; `follows` is false where some are missing before it. Returns what is wrong with it. */
  pass(row: Row, follows: boolean): string | undefined {
    const isLinked = this.#followLink(row) || !follows;
    this.#previousHash = row.hash;
    const fault = isLinked ? this.#judgeValues(row) : describeMismatch(row.seq);
    for (const id of findErasedIds(row)) this.#blank.delete(id);
    return fault;
  }

  /** What is left to find fault with once the chain has ended. */
  end(): { readonly seq: number; readonly message: string }[] {
    const findings: ReturnType<ChainLinks["end"]> = [];
    if (this.#unproven !== undefined) {
      const { from, to } = this.#unproven;
      const which = from === to ? `Entry ${from} does` : `Entries ${from} to ${to} do`;
      findings.push({ seq: from, message: `${which} not follow from what is before, and nothing else proves it.` });
    }
    for (const seq of [...this.#blank.values()].flat().sort((a, b) => a - b)) {
      findings.push({
        seq,
        message: `The values of entry ${seq} were removed, and nothing says that they were erased.`,
      });
    }
    return findings;
  }

  #followLink(row: Row): boolean {
    const isOfToday = row.commitment !== null;
    const hash = hashRow(this.#stretchHash ?? this.#previousHash, row);
    if (isOfToday && hash === row.hash) {
      if (this.#stretchHash === undefined) return true;
      if (row.action === CONVERTED) {
        this.#stretchHash = undefined;
        this.#unproven = undefined;
        this.#hasErased = false;
        return true;
      }
    }
    this.#stretchHash = hash;
    if (hashOldRow(this.#previousHash, row) === row.hash) return true;
    if (isOfToday && hashRow(this.#previousHash, row) === row.hash) return true;
    if (!isOfToday || !this.#mayBeErased(row)) return false;
    this.#unproven = { from: this.#unproven?.from ?? row.seq, to: row.seq };
    return true;
  }

  #mayBeErased(row: Row): boolean {
    if (row.salt === null) this.#hasErased = true;
    return row.salt === null || (this.#hasErased && (row.hash + this.#previousHash).includes(HIDDEN));
  }

  #judgeValues(row: Row): string | undefined {
    const { seq, salt, commitment } = row;
    if (commitment === null) {
      return salt === null && row.facts === null
        ? undefined
        : `Entry ${seq} was altered: it has what entries of its time had not.`;
    }
    if (salt !== null) {
      return commitTo(salt, row) === commitment
        ? undefined
        : `The values of entry ${seq} are not those that were recorded.`;
    }
    if (holdsValues(row))
      return `The values of entry ${seq} are not those that were recorded: what proves them was removed.`;
    const blank = this.#blank.get(row.target_id);
    if (blank === undefined) this.#blank.set(row.target_id, [seq]);
    else blank.push(seq);
    return undefined;
  }
}

function describeMismatch(seq: number): string {
  if (seq === 1) return "Entry 1 is not what was recorded: it was altered, or is not the first.";
  return `Entry ${seq} does not follow from entry ${seq - 1}: one of them was altered, put in or moved.`;
}
