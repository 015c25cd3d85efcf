/**
 * Webhooks are sent by a thread of their own, so that no write waits while twenty endpoints are told of it: signing, TLS and the
 * deliveries' rows are many times the work of the write itself. The thread shares nothing with this one but the store, in which the
 * audit log is the outbox; so if it ends, the next one goes on where it was. It is started when there is a webhook.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Config } from "./config.ts";
import type { SenderOptions } from "./events/sender.ts";
import type { Notice } from "./events/webhook-health.ts";
import type { WebhookOptions } from "./make-webhooks.ts";

const LOOK_EVERY_MS = 200;
/** Before another is started in the place of one that ended. */
const PAUSE_MS = 1_000;
/** For what is under way, and to close the store; one that takes longer is ended. */
const STOP_PATIENCE_MS = 10_000;

export interface SendingSettings {
  readonly config: Pick<Config, "dataDir" | "databaseUrl" | "databaseDirectUrl" | "secret" | "webhookAllow">;
  readonly options: WebhookOptions | undefined;
}

export type FromSending =
  | { readonly type: "started" }
  | { readonly type: "counts"; readonly delivered: number; readonly refused: number; readonly backlog: number }
  | { readonly type: "notice"; readonly notice: Notice }
  | { readonly type: "fault"; readonly error: unknown }
  | { readonly type: "recovery" };

export interface SendingOptions extends SendingSettings, Pick<SenderOptions, "store" | "onFault" | "onRecovery"> {
  tell(notice: Notice): void;
}

export class SendingThread {
  delivered = 0;
  refused = 0;
  backlog = 0;
  readonly #options: SendingOptions;
  readonly #stopping = new AbortController();
  readonly #loop: Promise<void>;
  #thread: Worker | undefined;
  /** By the threads before this one. */
  #before = { delivered: 0, refused: 0 };
  #isFaulty = false;
  /** The last thread has, or nobody could tell whether one is needed, and nothing better has been heard since. */
  #hasEnded = false;
  readonly #began = Promise.withResolvers<void>();
  /** Settles once it sends, or there is no webhook yet; so that a server that was started anew is late with none. */
  readonly ready = this.#began.promise;

  constructor(options: SendingOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const thread = this.#thread;
    thread?.postMessage("stop");
    const timer = setTimeout(() => void thread?.terminate(), STOP_PATIENCE_MS);
    await this.#loop;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let pauseMs = LOOK_EVERY_MS;
      try {
        if (await this.#hasWebhooks()) {
          pauseMs = PAUSE_MS;
          await this.#send();
        } else this.#noteBegun();
      } catch (error) {
        this.#hasEnded = true;
        this.#noteFault(error);
      }
      this.#began.resolve();
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Also where all are disabled: what was sent to them is kept no longer for that. */
  async #hasWebhooks(): Promise<boolean> {
    const { events } = this.#options.store;
    return (await events.selectFrom("webhooks").select("id").limit(1).execute()).length > 0;
  }

  /** Until the thread has ended, which it is to do only when it is told to. */
  async #send(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const { config, options } = this.#options;
    const workerData: SendingSettings = { config, options };
    const thread = new Worker(new URL("./send-webhooks.ts", import.meta.url), { workerData });
    this.#thread = thread;
    const { promise: ended, resolve } = Promise.withResolvers<number>();
    let fault: unknown = new Error("The thread that sends webhooks has ended.");
    thread.on("message", (message: FromSending) => this.#hear(message));
    // It tells of a fault before it has ended, and what it has counted may be heard in between.
    thread.on("error", (error) => {
      fault = error;
    });
    thread.once("exit", resolve);
    const code = await ended;
    this.#thread = undefined;
    this.#before = { delivered: this.delivered, refused: this.refused };
    this.backlog = 0;
    if (code !== 0 || !this.#stopping.signal.aborted) throw fault;
  }

  #hear(message: FromSending): void {
    if (message.type === "started") this.#began.resolve();
    else if (message.type === "notice") this.#options.tell(message.notice);
    else if (message.type === "fault") this.#noteFault(message.error);
    else if (message.type === "recovery") this.#noteRecovery();
    else {
      this.delivered = this.#before.delivered + message.delivered;
      this.refused = this.#before.refused + message.refused;
      this.backlog = message.backlog;
      this.#noteBegun();
    }
  }

  /** It sends, or has nobody to send to. */
  #noteBegun(): void {
    this.#began.resolve();
    if (this.#hasEnded) this.#noteRecovery();
    this.#hasEnded = false;
  }

  #noteFault(error: unknown): void {
    if (!this.#isFaulty) this.#options.onFault(error);
    this.#isFaulty = true;
  }

  #noteRecovery(): void {
    if (this.#isFaulty) this.#options.onRecovery();
    this.#isFaulty = false;
  }
}
