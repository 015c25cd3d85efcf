/** What a server of one process and one of several have in common: what it needs to listen, how it says where to set up, and how all of it is closed. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { OfferedSetUp } from "./identity/first-owner.ts";

const FLUSH_PATIENCE_MS = 2_000;

/** For a name with two addresses the framework would open a second server, which nothing else knows of. */
export function listenHostOf({ host }: Pick<Config, "host">): string {
  return host.toLowerCase() === "localhost" ? "127.0.0.1" : host;
}

/**
 * Looks early whether the port can be had. Somebody may take it between this and the server's own listening, which then fails as
 * it would have here. Clients that connect meanwhile are sent away, and must not be waited for. Returns the port, a free one where any will do.
 */
export async function requireFreePort(config: Pick<Config, "host" | "port">): Promise<number> {
  const probe = createServer((socket) => socket.destroy());
  probe.listen({ host: listenHostOf(config), port: config.port, exclusive: true });
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Whatever was opened, to be closed in the opposite order. */
export class Closing {
  readonly #log: Logger;
  readonly #all: (() => Promise<void> | void)[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  add(close: () => Promise<void> | void): void {
    this.#all.push(close);
  }

  /** What cannot be closed must not keep the rest open; returns why not. */
  async closeAll(): Promise<unknown[]> {
    const faults: unknown[] = [];
    for (let close = this.#all.pop(); close !== undefined; close = this.#all.pop()) {
      await Promise.try(close).catch((err) => {
        this.#log.error({ err }, "could not be closed cleanly");
        faults.push(err);
      });
    }
    return faults;
  }
}

/** Writes the token of the set-up page down as the last line of the log so far, whatever the log's level: it is told nowhere else. */
export async function announceSetUp(log: Logger, page: string, dataDir: string, offered: OfferedSetUp): Promise<void> {
  const { token, file, fault: err } = offered;
  const place = file === undefined ? `; the file for it could not be written in ${dataDir}` : "";
  log
    .child({}, { level: "warn" })
    .warn(
      { page, file, token, err },
      `nobody has an account yet: the set-up page asks for this token, which works once${place}`,
    );
  await flush(log);
}

/** Not for longer than a moment: nobody may be reading the log. */
export async function flush(log: Logger): Promise<void> {
  const flushed = new Promise<void>((resolve) => log.flush(() => resolve()));
  await Promise.race([flushed, sleep(FLUSH_PATIENCE_MS, undefined, { ref: false })]);
}

/** At the end of a stop. */
export function throwFaults(faults: readonly unknown[]): void {
  if (faults.length > 0) throw new AggregateError(faults, "Not everything could be written down; the log says what.");
}
