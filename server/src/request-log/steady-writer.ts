/**
 * Writes down what gathers: a while after something has come, one write at a time, and again for as long as there is more. A write
 * that fails is tried again; a fault is told once, and told again when it is over. Nothing here ever rejects.
 */
export interface SteadyWriterOptions {
  write(): Promise<void>;
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

  constructor(options: SteadyWriterOptions) {
    this.#options = options;
  }

  /** For whoever has something to write. */
  wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#timer = setTimeout(() => void this.#runAndGoOn(), this.#options.pauseMs()).unref();
  }

  /** Says whether it was written. Whoever asks while a write is under way is told how that ends. */
  run(): Promise<boolean> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** As `run`, for whoever wants to have written what came before. */
  async runAnew(): Promise<boolean> {
    await this.#running;
    return this.run();
  }

  /** From now on it runs only when told to. Waits for what is under way. */
  async stop(): Promise<void> {
    this.#isAwake = true;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #runAndGoOn(): Promise<void> {
    await this.run();
    if (this.#isStopped) return;
    this.#isAwake = false;
    if (this.#options.hasMore()) this.wake();
  }

  async #runOnce(): Promise<boolean> {
    try {
      await this.#options.write();
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
