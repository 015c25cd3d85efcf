/**
 * Where passwords are looked at. One look takes tens of milliseconds of a processor and 32 MB, off the thread that answers requests; so only a
 * few happen at once, others wait their turn, and past a number of them newcomers are sent away rather than kept waiting.
 *
 * Those who come from a device that the account is known on have a queue of their own and go first: however many strangers try
 * passwords, they are served.
 */
import { TooManyTries } from "@lineup/api/dashboard/action";
import { hashPassword, verifyPassword } from "better-auth/crypto";

/** Below the threads that Node has for such work, so that what else needs them does not wait. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 40;
/** By then those who wait now have had their turn, on slow machines too. */
const BUSY_WAIT_MS = 5_000;

type Enter = () => void;

export class PasswordHashing {
  #busy = 0;
  readonly #known: Enter[] = [];
  readonly #strangers: Enter[] = [];
  /** Looked at where there is no account or no password, so that it takes as long as where there is one. */
  readonly #decoy = hashPassword("nobody's password");

  hash(password: string, isKnown = true): Promise<string> {
    return this.#inTurn(isKnown, () => hashPassword(password));
  }

  async verify(hash: string | undefined, password: string, isKnown: boolean): Promise<boolean> {
    const compared = hash ?? (await this.#decoy);
    const isRight = await this.#inTurn(isKnown, () => verifyPassword({ hash: compared, password }));
    return isRight && hash !== undefined;
  }

  async #inTurn<T>(isKnown: boolean, work: () => Promise<T>): Promise<T> {
    await this.#enter(isKnown ? this.#known : this.#strangers);
    try {
      return await work();
    } finally {
      const next = this.#known.shift() ?? this.#strangers.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }

  async #enter(queue: Enter[]): Promise<void> {
    if (this.#busy < AT_ONCE_MAX) {
      this.#busy += 1;
      return;
    }
    if (queue.length >= WAITING_MAX) {
      throw new TooManyTries(
        "Too many people are signing in at this moment. Try again in a few seconds.",
        BUSY_WAIT_MS,
      );
    }
    await new Promise<void>((resolve) => queue.push(resolve));
  }
}
