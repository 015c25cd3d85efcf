/**
 * Shows on standard error how far long work has come: a bar on a terminal, otherwise a plain line now and then, so that a
 * log stays readable. Work that is over soon shows nothing at all.
 */

const BAR_AFTER_MS = 500;
const BAR_EVERY_MS = 100;
const BAR_MAX_WIDTH = 30;
const BAR_MIN_WIDTH = 5;
const LINE_AFTER_MS = 5_000;
const LINE_EVERY_MS = 5_000;

export interface Progress {
  /** `total` of 0 means that nobody knows yet. */
  update(done: number, total: number, what?: string): void;
  /** Clears the bar. To be called also when the work has failed. */
  end(): void;
}

export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  /** The terminal's width. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export function startProgress(
  label: string,
  stream: ProgressStream = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const isTerminal = stream.isTTY === true;
  const everyMs = isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS;
  let nextAt = now() + (isTerminal ? BAR_AFTER_MS : LINE_AFTER_MS);
  let isBarShown = false;
  return {
    update: (done, total, what) => {
      const time = now();
      if (time < nextAt) return;
      nextAt = time + everyMs;
      const text = describe(what === undefined ? label : `${label}: ${what}`, done, total);
      stream.write(isTerminal ? `\r\u001b[K${drawLine(text, done, total, stream.columns || 80)}` : `${text}\n`);
      isBarShown = isTerminal;
    },
    end: () => {
      if (isBarShown) stream.write("\r\u001b[K");
      isBarShown = false;
    },
  };
}

/** Whatever becomes of the work, nothing of it stays on the terminal. */
export async function withProgress<T>(label: string, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = startProgress(label);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

function describe(label: string, done: number, total: number): string {
  if (total <= 0) return `${label} … ${done.toLocaleString("en")}`;
  const percent = Math.floor((Math.min(done, total) / total) * 100);
  return `${label} … ${percent} % (${done.toLocaleString("en")} of ${total.toLocaleString("en")})`;
}

/** Never longer than the terminal is wide: a line that wraps cannot be drawn over. */
function drawLine(text: string, done: number, total: number, columns: number): string {
  const width = Math.min(BAR_MAX_WIDTH, columns - text.length - 4);
  if (width < BAR_MIN_WIDTH) return text.slice(0, columns - 1);
  const filled = total <= 0 ? 0 : Math.round((Math.min(done, total) / total) * width);
  return `[${"█".repeat(filled)}${"░".repeat(width - filled)}] ${text}`;
}
