/**
 * Calls an action that takes its time, and hears meanwhile how far it has come: the answer is a line for each step, and at last the result. It may take
 * as long as it needs, as long as something is heard of it. Where others are being served first, it waits and asks again.
 */
import type { ActionProgress, PROGRESS_TYPE } from "@lineup/api/dashboard/action";
import type { ActionName, ActionResult } from "@lineup/api/dashboard/actions";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { type ActionInput, readAnswer, sendAction } from "./call-action.ts";
import { failureOf, isErrorBody, RequestFailure } from "./request-failure.ts";

/** Written once more, for its record brings every schema along; another text does not compile. */
const LINES_TYPE: typeof PROGRESS_TYPE = "application/x-ndjson";
/** Longer than the server waits for a body that does not come. */
const SILENCE_MS = 150_000;
/** What the server calls too slow for files. */
const LEAST_BYTES_A_SECOND = 32 * 1024;
const TURNS = 8;
const TURN_MS = 1_500;

export interface ProgressOptions {
  readonly onProgress: (progress: ActionProgress) => void;
  readonly signal: AbortSignal;
}

export async function callWithProgress<N extends ActionName>(
  name: N,
  input: ActionInput<N>,
  options: ProgressOptions,
): Promise<ActionResult<N>> {
  for (let turn = 1; ; turn++) {
    try {
      return await callOnce(name, input, options);
    } catch (failure) {
      const isBusy = failure instanceof RequestFailure && failure.code === "TOO_MANY_TRIES";
      if (!isBusy || turn === TURNS) throw failure;
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
  }
}

async function callOnce<N extends ActionName>(
  name: N,
  input: ActionInput<N>,
  { onProgress, signal }: ProgressOptions,
): Promise<ActionResult<N>> {
  const silence = new AbortController();
  const giveUp = () => silence.abort();
  // Nothing is heard while files are sent, which takes its time on a slow line.
  const sendingMs = (JSON.stringify(input).length / LEAST_BYTES_A_SECOND) * 1_000;
  let timer = setTimeout(giveUp, SILENCE_MS + sendingMs);
  const hear = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, SILENCE_MS);
  };
  try {
    const ends = AbortSignal.any([signal, silence.signal]);
    const accept = `${LINES_TYPE}, application/json`;
    const response = await sendAction(name, input, { accept, ends, signal });
    const isLines = response.headers.get("content-type")?.startsWith(LINES_TYPE) === true;
    if (!isLines) return (await readAnswer(response)) as ActionResult<N>;
    return (await readLines(response, onProgress, hear)) as ActionResult<N>;
  } catch (cause) {
    if (cause instanceof RequestFailure || signal.aborted) throw cause;
    throw new RequestFailure("UNREACHABLE", FAULT_TEXTS.unreachable, null);
  } finally {
    clearTimeout(timer);
  }
}

/** The result; fails where the answer ends without one. */
async function readLines(
  response: Response,
  onProgress: ProgressOptions["onProgress"],
  hear: () => void,
): Promise<unknown> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let parts: string[] = [];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) throw new RequestFailure("UNREACHABLE", FAULT_TEXTS.unreachable, response.headers.get("x-request-id"));
    hear();
    const [first = "", ...others] = value?.split("\n") ?? [];
    parts.push(first);
    for (const next of others) {
      const line = parts.join("");
      parts = [next];
      const told = JSON.parse(line) as { progress?: ActionProgress; result?: unknown };
      if (isErrorBody(told)) throw failureOf(told);
      if (told.result !== undefined) return told.result;
      if (told.progress !== undefined) onProgress(told.progress);
    }
  }
}
