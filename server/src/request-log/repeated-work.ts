/**
 * Does something again and again with pauses between, one run at a time, also where one is asked for before it is time. A fault is told
 * once, and told again when it is over. Nothing here ever rejects.
 */
export interface RepeatedWorkOptions {
  work(): Promise<void>;
  /** How long to wait before the next run. */
  pauseMs(): number;
  onFault(error: unknown): void;
  onRecovery(): void;
}

export class RepeatedWork {
  /** How often it has failed. */
  faults = 0;
  /** The last run has failed. */
  isFaulty = false;
  readonly #options: RepeatedWorkOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #last: Promise<void> = Promise.resolve();

  constructor(options: RepeatedWorkOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Once what is under way or asked for already is done. */
  run(): Promise<void> {
    this.#last = this.#last.then(() => this.#try());
    return this.#last;
  }

  /** From now on it runs only when told to. Waits for what is under way. */
  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    return this.#last;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.run().then(() => this.#schedule()), this.#options.pauseMs()).unref();
  }

  async #try(): Promise<void> {
    try {
      await this.#options.work();
      if (this.isFaulty) this.#options.onRecovery();
      this.isFaulty = false;
    } catch (error) {
      this.faults++;
      if (!this.isFaulty) this.#options.onFault(error);
      this.isFaulty = true;
    }
  }
}
