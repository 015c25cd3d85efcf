import type { Player } from "@lineup/api/players";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { catchUp } from "../records/record-cache.ts";
import { type BulkOutcome, type BulkTask, runBulk, undoTasks } from "./bulk-run.ts";

export type BulkPhase =
  | { readonly name: "choosing" }
  | { readonly name: "running" | "undoing"; readonly done: number; readonly all: number }
  | { readonly name: "ran" | "undone"; readonly outcome: BulkOutcome<Player> };

export interface BulkRun {
  readonly phase: BulkPhase;
  readonly start: (tasks: readonly BulkTask<Player>[]) => void;
  readonly stop: () => void;
  readonly undo: () => void;
}

/** Runs many changes while the dialog is open; when it goes, nothing more is begun. */
export function useBulkRun(orgId: string): BulkRun {
  const client = useQueryClient();
  const [phase, setPhase] = useState<BulkPhase>({ name: "choosing" });
  const stopper = useRef(new AbortController());
  useEffect(() => () => stopper.current.abort(), []);
  const run = async (tasks: readonly BulkTask<Player>[], isUndo: boolean) => {
    const name = isUndo ? "undoing" : "running";
    stopper.current = new AbortController();
    setPhase({ name, done: 0, all: tasks.length });
    const tell = (done: number) => setPhase({ name, done, all: tasks.length });
    const outcome = await runBulk(tasks, tell, stopper.current.signal);
    await catchUp(client, orgId);
    setPhase({ name: isUndo ? "undone" : "ran", outcome });
  };
  return {
    phase,
    start: (tasks) => void run(tasks, false),
    stop: () => stopper.current.abort(),
    undo: () => phase.name === "ran" && void run(undoTasks(phase.outcome), true),
  };
}
