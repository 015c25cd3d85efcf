/** How far a run has come: a bar on a terminal that also says what is being done, and elsewhere a line for each thing. */
import { startProgress } from "@lineup/server/cli/progress";

export interface Bar {
  update(done: number, total: number, what: string): void;
  end(): void;
}

export function startBar(label = "bench"): Bar {
  const progress = startProgress(label);
  return { update: (done, total, what) => progress.update(done, total, what), end: () => progress.end() };
}
