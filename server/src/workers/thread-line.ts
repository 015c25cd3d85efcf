/**
 * What two threads say to each other: words that need no answer, and questions that get one or are given up after a while. What is
 * said before is heard before. When the other thread is gone, all who wait are told.
 */
import type { Transferable } from "node:worker_threads";

/** What can be asked: for each topic, what goes there and what comes back. */
export type Topics = { readonly [topic: string]: readonly [asked: unknown, answered: unknown] };

export interface ThreadPort {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  on(event: "message", listener: (message: Message) => void): unknown;
}

type Message =
  | { readonly topic: string; readonly body: unknown; readonly number: number | undefined }
  | { readonly answerTo: number; readonly body: unknown }
  | { readonly answerTo: number; readonly fault: ThreadFault };

/** An error as it travels between threads, where only its words and its code arrive. */
export interface ThreadFault {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
  readonly cause: ThreadFault | undefined;
}

/** A cause may have a cause in turn; nobody reads further than this. */
const CAUSES_MAX = 4;

interface Waiting {
  resolve(body: unknown): void;
  reject(error: Error): void;
}

type Handler = (body: unknown) => unknown;

/** More than can ever be on their way between two threads that both work. */
const WAITING_MAX = 10_000;

export class ThreadLine<Hears extends Topics, Says extends Topics> {
  readonly #port: ThreadPort;
  readonly #onFault: (error: unknown, topic: string) => void;
  readonly #handlers = new Map<keyof Hears, Handler>();
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #end: Error | undefined;

  /** Whoever tells something waits for no answer, so that what goes wrong with it is told here. */
  constructor(port: ThreadPort, onFault: (error: unknown, topic: string) => void) {
    this.#port = port;
    this.#onFault = onFault;
    port.on("message", (message) => this.#hear(message));
  }

  on<T extends keyof Hears>(topic: T, handler: (body: Hears[T][0]) => Hears[T][1] | Promise<Hears[T][1]>): void {
    this.#handlers.set(topic, handler as Handler);
  }

  tell<T extends keyof Says & string>(topic: T, body: Says[T][0], transfer?: readonly Transferable[]): void {
    if (this.#end === undefined) this.#port.postMessage({ topic, body, number: undefined } satisfies Message, transfer);
  }

  async ask<T extends keyof Says & string>(
    topic: T,
    body: Says[T][0],
    patienceMs: number,
    transfer?: readonly Transferable[],
  ): Promise<Says[T][1]> {
    if (this.#end !== undefined) throw this.#end;
    if (this.#waiting.size >= WAITING_MAX) throw new Error("Too many questions are waiting for another thread.");
    const number = this.#asked++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(number, { resolve, reject });
    const late = setTimeout(() => reject(new Error(`Another thread did not answer in time (${topic}).`)), patienceMs);
    try {
      this.#port.postMessage({ topic, body, number } satisfies Message, transfer);
      return await promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(number);
    }
  }

  /** The other thread is gone: nothing is said or heard any more. */
  end(reason: Error): void {
    this.#end = reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
  }

  #hear(message: Message): void {
    if ("topic" in message) {
      void this.#answer(message.topic, message.body, message.number);
      return;
    }
    const waiting = this.#waiting.get(message.answerTo);
    if ("fault" in message) waiting?.reject(errorOf(message.fault));
    else waiting?.resolve(message.body);
  }

  async #answer(topic: string, body: unknown, number: number | undefined): Promise<void> {
    try {
      const handler = this.#handlers.get(topic);
      if (handler === undefined) throw new Error(`Nobody here knows of ${topic}.`);
      const answered = await handler(body);
      if (number !== undefined) this.#say({ answerTo: number, body: answered });
    } catch (error) {
      if (number === undefined) this.#onFault(error, topic);
      else this.#say({ answerTo: number, fault: faultOf(error) });
    }
  }

  #say(message: Message): void {
    if (this.#end === undefined) this.#port.postMessage(message);
  }
}

export function faultOf(error: unknown, causesMax = CAUSES_MAX): ThreadFault {
  if (!(error instanceof Error)) {
    return { name: "Error", message: String(error), code: undefined, stack: undefined, cause: undefined };
  }
  const { name, message, stack } = error;
  const code = "code" in error ? String(error.code) : undefined;
  const hasCause = error.cause !== undefined && causesMax > 0;
  return { name, message, code, stack, cause: hasCause ? faultOf(error.cause, causesMax - 1) : undefined };
}

export function errorOf({ name, message, code, stack, cause }: ThreadFault): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: errorOf(cause) });
  // As errors have it: a log that writes down what stands in one finds no name there.
  Object.defineProperty(error, "name", { value: name, enumerable: false, configurable: true, writable: true });
  if (stack !== undefined) error.stack = stack;
  return code === undefined ? error : Object.assign(error, { code });
}
