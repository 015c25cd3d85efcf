/** An answer in lines, for whoever wants to hear how far the work has come. It begins with the first step that is told. */
import type { ServerResponse } from "node:http";
import { type ActionProgress, PROGRESS_TYPE } from "@lineup/api/dashboard/action";

/** Often enough for a bar that moves. */
const EVERY_MS = 100;

export class ProgressLines {
  readonly #response: ServerResponse;
  readonly #makeHead: () => string[];
  #nextAt = 0;
  #phase = "";

  /** The head is made when the first line is sent: before, nobody knows all of it. */
  constructor(response: ServerResponse, makeHead: () => string[]) {
    this.#response = response;
    this.#makeHead = makeHead;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Leaves out steps that come too soon after another, and all while the client does not take what it has been sent. */
  tell(progress: ActionProgress): void {
    const now = performance.now();
    const isDue = now >= this.#nextAt || progress.phase !== this.#phase;
    if (!isDue || this.#response.destroyed || this.#response.writableNeedDrain) return;
    this.#nextAt = now + EVERY_MS;
    this.#phase = progress.phase;
    if (!this.hasBegun) this.#response.writeHead(200, ["Content-Type", PROGRESS_TYPE, ...this.#makeHead()]);
    this.#response.write(`${JSON.stringify({ progress })}\n`);
  }

  end(line: string): void {
    this.#response.end(`${line}\n`);
  }
}
