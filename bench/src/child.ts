/** The child's half of the talk between the bench and the processes it measures: questions come in, answers go back. */
import { readPeakBytes, resetPeak } from "./process-usage.ts";

export interface Usage {
  /** CPU time of the whole process since its start, all threads, in microseconds. */
  readonly cpuUs: number;
  /** The most memory it had since the peak was last reset. */
  readonly peakBytes: number;
}

export interface Question {
  readonly number: number;
  readonly name: string;
  readonly payload: unknown;
}

export interface Reply {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: string;
}

export type Answers = Readonly<Record<string, (payload: never) => unknown>>;

/** Answers until the parent is gone; then there is nobody left to work for. */
export function answerParent(answers: Answers): void {
  const all: Answers = { usage: readUsage, resetPeak: () => resetPeak("self"), ...answers };
  process.on("disconnect", () => process.exit(0));
  process.on("message", (question: Question) => {
    void reply(all, question);
  });
}

async function reply(answers: Answers, { number, name, payload }: Question): Promise<void> {
  let message: Reply;
  try {
    const answer = answers[name];
    if (answer === undefined) throw new Error(`This process has no answer to "${name}".`);
    message = { number, result: await answer(payload as never) };
  } catch (error) {
    message = { number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(message);
}

function readUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, peakBytes: readPeakBytes("self") ?? process.memoryUsage.rss() };
}
