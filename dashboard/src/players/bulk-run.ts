/**
 * Many changes, a few at a time. Each is a write of its own with the version that was seen: what somebody else has changed meanwhile is
 * refused and told, never overwritten, and the others go on. What was changed can be taken back the same way.
 */
export interface BulkTask<Of> {
  readonly of: Of;
  /** Resolves with what takes the change back. */
  readonly run: () => Promise<() => Promise<unknown>>;
}

export interface BulkOutcome<Of> {
  readonly changed: readonly { readonly of: Of; readonly undo: () => Promise<unknown> }[];
  readonly refused: readonly { readonly of: Of; readonly reason: unknown }[];
  /** Not begun any more when it was stopped. */
  readonly untried: number;
}

const AT_ONCE = 4;

export async function runBulk<Of>(
  tasks: readonly BulkTask<Of>[],
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<BulkOutcome<Of>> {
  const changed: { of: Of; undo: () => Promise<unknown> }[] = [];
  const refused: { of: Of; reason: unknown }[] = [];
  const waiting = tasks.values();
  const work = async () => {
    for (const { of, run } of waiting) {
      try {
        changed.push({ of, undo: await run() });
      } catch (reason) {
        refused.push({ of, reason });
      }
      onProgress(changed.length + refused.length);
      if (signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { changed, refused, untried: tasks.length - changed.length - refused.length };
}

/** What takes an outcome back, the last change first. */
export function undoTasks<Of>({ changed }: BulkOutcome<Of>): BulkTask<Of>[] {
  return changed.toReversed().map(({ of, undo }) => ({
    of,
    run: async () => {
      await undo();
      return async () => undefined;
    },
  }));
}
