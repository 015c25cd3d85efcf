/**
 * Writes down what gathers: a while after something has come, one write at a time, and again for as long as there is more. A write
 * that fails is tried again; a fault is told once, and told again when it is over. Nothing here ever rejects.
 */
export interface SteadyWriterOptions {
  /** `isEarly` where it is not time yet, and only what is urgent need be written. */
  write(isEarly: boolean): Promise<void>;
  /** How long to gather before the next write. */
  pauseMs(): number;
  hasMore(): boolean;
  onFault(error: unknown): void;
  onRecovery(): void;
}

export class SteadyWriter {
  /** How often it has failed. */
  faults = 0;
  /** The last write has failed. */
  isFaulty = false;
  readonly #options: SteadyWriterOptions;
  #isAwake = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<boolean> | undefined;
  /** What is asked to be written once that is done. Whoever asks before it begins is told how it ends. */
  #next: Promise<boolean> | undefined;

  constructor(options: SteadyWriterOptions) {
    this.#options = options;
  }

  /** For whoever has something to write. */
  wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#timer = setTimeout(() => void this.#runAndGoOn(), this.#options.pauseMs()).unref();
  }

  /** For what cannot wait until it is time. Where a write is under way, or is to follow it, that is left to them. */
  runEarly(): void {
    if (this.#next === undefined) void this.#run(true);
  }

  /** Writes all that came before, after what is under way. Says whether it was written. */
  run(): Promise<boolean> {
    if (this.#running === undefined) return this.#run(false);
    this.#next ??= this.#runNext();
    return this.#next;
  }

  /** From now on it runs only when told to. Waits for what is under way. */
  async stop(): Promise<void> {
    this.#isAwake = true;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #runNext(): Promise<boolean> {
    await this.#running;
    this.#next = undefined;
    return this.#run(false);
  }

  #run(isEarly: boolean): Promise<boolean> {
    this.#running ??= this.#runOnce(isEarly).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #runAndGoOn(): Promise<void> {
    await this.run();
    if (this.#isStopped) return;
    this.#isAwake = false;
    if (this.#options.hasMore()) this.wake();
  }

  async #runOnce(isEarly: boolean): Promise<boolean> {
    try {
      await this.#options.write(isEarly);
      if (this.isFaulty) this.#options.onRecovery();
      this.isFaulty = false;
      return true;
    } catch (error) {
      this.faults++;
      if (!this.isFaulty) this.#options.onFault(error);
      this.isFaulty = true;
      return false;
    }
  }
}
