/** Settles what passes have written of the keys in shared memory, some keys at a time. */
import type { AdmissionJournal } from "./admission-journal.ts";
import type { Clock } from "./clock.ts";
import { SETTLED_MAX } from "./flush-timer.ts";
import type { CopiedKey, SharedJournalView } from "./shared-journal.ts";

export class SharedSettling {
  readonly #journal: AdmissionJournal;
  readonly #view: SharedJournalView;
  readonly #clock: Clock;

  constructor(journal: AdmissionJournal, view: SharedJournalView, clock: Clock) {
    this.#journal = journal;
    this.#view = view;
    this.#clock = clock;
  }

  /** Settles some of what passes had written when that began, if it is time; says whether there is more to do. */
  settleSlice(keysMax: number): boolean {
    if (!this.#journal.isSettling) {
      if (!this.#journal.isSettlingDue()) return false;
      this.#begin();
    }
    const keys = this.#view.copyUnsettled(keysMax, this.#clock.monotonicMs());
    if (keys.length > 0) return this.#settle(keys);
    if (this.#view.isAllSettled) return this.#journal.removePasses();
    // Passes stay until the keys are to be had that were not.
    this.#view.startSettling();
    return false;
  }

  /** All that passes have written so far. */
  settleAll(): void {
    this.#begin();
    while (this.settleSlice(SETTLED_MAX));
  }

  #begin(): void {
    this.#journal.beginSettling();
    this.#view.startSettling();
  }

  #settle(keys: readonly CopiedKey[]): true {
    try {
      this.#journal.settle(keys);
    } catch (error) {
      this.#view.markAgain(keys);
      // Or these would be taken for settled.
      this.#view.startSettling();
      throw error;
    }
    this.#view.keepWritten(keys);
    return true;
  }
}
