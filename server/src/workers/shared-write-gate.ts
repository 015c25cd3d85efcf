/**
 * The gate before the embedded store's one writer, for the threads of a server. SQLite itself keeps two of them from writing at once, also
 * where one is another process; but it cannot wake who waits. Here whoever leaves hands on to the next in turn, round the
 * members, so that none is passed over.
 *
 * What always holds: a member is inside exactly while the holder's word bears its number, and only who is inside hands it on. A member that
 * dies inside or waiting is taken out by the coordinator, after SQLite has undone what it had begun.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { WriteGate } from "../store/store-ties.ts";
import type { SharedWords } from "./shared-words.ts";

const IDLE = 0;
const WAITING = 1;
const INSIDE = 2;
const NOBODY = 0;
/** Much longer than a few atomic steps take. */
const SETTLED_AFTER_MS = 100;
/** Whoever is let in is woken; to look again now and then costs nothing. */
const LOOK_AGAIN_MS = 1_000;

export class SharedWriteGate implements WriteGate {
  readonly #holder: Int32Array<SharedArrayBuffer>;
  readonly #states: Int32Array<SharedArrayBuffer>;
  readonly #me: number;

  constructor(words: SharedWords, member: number) {
    const { holder, states } = words.gate;
    this.#holder = holder;
    this.#states = states;
    this.#me = member;
  }

  enter(): Promise<void> | undefined {
    Atomics.store(this.#states, this.#me, WAITING);
    if (Atomics.compareExchange(this.#holder, 0, NOBODY, this.#me + 1) !== NOBODY) return this.#wait();
    Atomics.store(this.#states, this.#me, INSIDE);
    return undefined;
  }

  /** Of all members, this one included. */
  get isTaken(): boolean {
    return Atomics.load(this.#holder, 0) !== NOBODY;
  }

  leave(): void {
    Atomics.store(this.#states, this.#me, IDLE);
    this.#handOn(this.#me);
  }

  /** For a member that is gone, before anybody takes its number. It may have died between any two of its atomic steps. */
  async takeOut(member: number): Promise<void> {
    const state = Atomics.exchange(this.#states, member, IDLE);
    if (state === INSIDE) return this.#handOn(member);
    const named = this.#findNamedAndWaiting();
    // Whoever lives and was about to let somebody in has done so by then. What is still half done is what the dead one left.
    await sleep(SETTLED_AFTER_MS);
    if (Atomics.load(this.#holder, 0) === member + 1) this.#handOn(member);
    else if (named !== undefined && this.#findNamedAndWaiting() === named) this.#letIn(named);
    else if (this.#takeForOthers(member)) this.#handOn(member);
  }

  async #wait(): Promise<void> {
    // One that was taken out waits no longer, and its thread must not spin.
    while (Atomics.load(this.#states, this.#me) === WAITING) {
      const waited = Atomics.waitAsync(this.#states, this.#me, WAITING, LOOK_AGAIN_MS);
      if (waited.async) await waited.value;
    }
  }

  #handOn(from: number): void {
    do {
      if (this.#letNextIn(from)) return;
      Atomics.store(this.#holder, 0, NOBODY);
      // Who began to wait after it was looked for has either found nobody inside, or is found now.
    } while (this.#takeForOthers(from));
  }

  #letNextIn(from: number): boolean {
    const { length } = this.#states;
    for (let step = 1; step <= length; step++) {
      const next = (from + step) % length;
      if (Atomics.load(this.#states, next) !== WAITING) continue;
      // The word first: who sees that it is inside may leave at once.
      Atomics.store(this.#holder, 0, next + 1);
      if (this.#letIn(next)) return true;
    }
    return false;
  }

  #letIn(member: number): boolean {
    if (Atomics.compareExchange(this.#states, member, WAITING, INSIDE) !== WAITING) return false;
    Atomics.notify(this.#states, member);
    return true;
  }

  /** Where nobody is inside and somebody waits for one who leaves. */
  #takeForOthers(member: number): boolean {
    const isAnybodyWaiting = this.#states.some((_, other) => Atomics.load(this.#states, other) === WAITING);
    return isAnybodyWaiting && Atomics.compareExchange(this.#holder, 0, NOBODY, member + 1) === NOBODY;
  }

  /** Whom the holder's word names though it was not let in. */
  #findNamedAndWaiting(): number | undefined {
    const named = Atomics.load(this.#holder, 0) - 1;
    return named >= 0 && Atomics.load(this.#states, named) === WAITING ? named : undefined;
  }
}
