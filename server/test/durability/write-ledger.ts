/**
 * What several writers have been told about their writes, and what a store must therefore hold after it was killed: every
 * acknowledged write exactly as acknowledged; a write that was under way wholly or not at all; and nothing else.
 */
import { isDeepStrictEqual } from "node:util";

export type Kind = "players" | "prospects";
export type Fields = Readonly<Record<string, unknown>>;
export interface Resource extends Fields {
  readonly id: string;
  readonly ign: string;
  readonly updatedAt: number;
}

/** A write that was sent: a creation, or an update of a record that is there. */
export interface Write {
  readonly kind: Kind;
  readonly id: string | undefined;
  readonly body: Fields;
}

/** What the server sets by itself with every change. */
const SET_BY_SERVER: ReadonlySet<string> = new Set(["updatedAt", "stageChangedAt"]);

export class WriteLedger {
  readonly #known: Readonly<Record<Kind, Map<string, Resource>>> = { players: new Map(), prospects: new Map() };
  readonly #underWay = new Set<Write>();
  acknowledged = 0;
  keptUnderWay = 0;
  lostUnderWay = 0;

  begin(write: Write): void {
    this.#underWay.add(write);
  }

  acknowledge(write: Write, answer: Resource): void {
    const fault = this.#findFault(write, answer);
    if (fault !== undefined) throw new Error(`The answer to a write is wrong: ${fault}`);
    this.#underWay.delete(write);
    this.#known[write.kind].set(answer.id, answer);
    this.acknowledged++;
  }

  /** Compares with what a server shows after a kill, and then takes that for what there is. */
  reconcile(kind: Kind, shown: readonly Resource[]): string[] {
    const faults: string[] = [];
    const known = this.#known[kind];
    const byId = new Map(shown.map((resource) => [resource.id, resource]));
    for (const before of known.values()) {
      const now = byId.get(before.id);
      if (now === undefined) faults.push(`${before.id} was acknowledged and is gone`);
      else if (!isDeepStrictEqual(now, before)) faults.push(...this.#judge(kind, now, before.id));
    }
    for (const resource of shown) {
      if (!known.has(resource.id)) faults.push(...this.#judge(kind, resource, undefined));
      known.set(resource.id, resource);
    }
    for (const write of this.#underWay) {
      if (write.kind !== kind) continue;
      this.lostUnderWay++;
      this.#underWay.delete(write);
    }
    return faults;
  }

  /** Whether a write that was under way explains what is shown. */
  #judge(kind: Kind, shown: Resource, id: string | undefined): string[] {
    const write = this.#underWay
      .values()
      .find((one) => one.kind === kind && one.id === id && (id !== undefined || one.body.ign === shown.ign));
    if (write === undefined) return [`${shown.id} is not what was acknowledged, and nobody was writing it`];
    const fault = this.#findFault(write, shown);
    if (fault !== undefined) return [`${shown.id} is half there: ${fault}`];
    this.#underWay.delete(write);
    this.keptUnderWay++;
    return [];
  }

  #findFault(write: Write, shown: Resource): string | undefined {
    const before = write.id === undefined ? {} : (this.#known[write.kind].get(write.id) ?? {});
    const externalIds = { ...((before as Fields).externalIds as object), ...(write.body.externalIds as object) };
    const expected: Fields = { ...before, ...write.body, externalIds };
    for (const [name, value] of Object.entries(expected)) {
      if (!SET_BY_SERVER.has(name) && !isDeepStrictEqual(shown[name], value)) {
        return `${name} is ${JSON.stringify(shown[name])}, not ${JSON.stringify(value)}`;
      }
    }
    return "updatedAt" in before && shown.updatedAt <= (before as Resource).updatedAt
      ? "updatedAt stands still"
      : undefined;
  }
}
