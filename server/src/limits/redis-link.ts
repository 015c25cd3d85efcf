/**
 * One connection to Redis, or to all of a cluster's masters: it is used until it fails and then thrown away. Reconnecting is the business
 * of whoever knows what has to be made good before requests may go to Redis again.
 *
 * What always holds: nothing waits in a queue for a connection to return; what was sent settles, at the latest when the link is
 * destroyed. Commands of one turn of the event loop go out in one write. No URL, and so no password, is in any error.
 */
import { createClient, createCluster, ErrorReply, RESP_TYPES, type RedisClientOptions } from "@redis/client";
import type { RedisScript } from "./redis-ring-layout.ts";

/** More than this many commands under way means that nobody is answering. */
const MOST_COMMANDS = 65_536;
/** Beyond what anybody waits; each link's own patience ends sooner. */
const CONNECT_MOST_MS = 10_000;

export type RedisArguments = readonly (string | Buffer)[];

/** What has to be told of a client or a cluster of them. */
interface Sender {
  send(key: string, args: RedisArguments): Promise<unknown>;
  /** To the very server that holds a name. */
  ask(key: string, args: RedisArguments): Promise<unknown>;
  /** To every server that holds anything. */
  tell(args: RedisArguments): Promise<unknown>;
  destroy(): void;
}

export interface RedisServer {
  /** Another one after every start. */
  readonly runId: string;
  readonly version: string;
}

export class RedisLink {
  readonly #sender: Sender;
  readonly #teaching = new Map<string, Promise<unknown>>();
  #isDestroyed = false;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  /** The first name says where a cluster's script runs. A server that does not know the script is given its text. */
  run(script: RedisScript, names: readonly [string, ...string[]], args: RedisArguments = []): Promise<unknown> {
    const rest = [String(names.length), ...names, ...args];
    return this.#sender.send(names[0], ["EVALSHA", script.sha, ...rest]).catch((error: unknown) => {
      if (!isReplyOf(error, "NOSCRIPT")) throw error;
      return this.#teach(script, names[0], rest);
    });
  }

  /** Many may find at once that the script is unknown; only the first brings its text. */
  async #teach(script: RedisScript, name: string, rest: RedisArguments): Promise<unknown> {
    const teaching = this.#teaching.get(script.sha);
    if (teaching !== undefined) {
      await teaching.catch(() => {});
      return this.#sender.send(name, ["EVALSHA", script.sha, ...rest]).catch((error: unknown) => {
        if (!isReplyOf(error, "NOSCRIPT")) throw error;
        return this.#sender.send(name, ["EVAL", script.text, ...rest]);
      });
    }
    const evaluated = this.#sender.send(name, ["EVAL", script.text, ...rest]);
    this.#teaching.set(script.sha, evaluated);
    return evaluated.finally(() => this.#teaching.delete(script.sha));
  }

  /** So that the first request of each kind takes no second round. Who may not do this does without. */
  async load(scripts: readonly RedisScript[]): Promise<void> {
    const loading = scripts.map(({ text }) => this.#sender.tell(["SCRIPT", "LOAD", text]));
    for (const { status, reason } of (await Promise.allSettled(loading)) as { status: string; reason?: unknown }[]) {
      if (status === "rejected" && !(reason instanceof ErrorReply)) throw reason;
    }
  }

  send(name: string, args: RedisArguments): Promise<unknown> {
    return this.#sender.send(name, args);
  }

  /** Goes to the very server that holds a name, whatever the command. */
  ask(name: string, args: RedisArguments): Promise<unknown> {
    return this.#sender.ask(name, args);
  }

  /** Which process of Redis holds a name, and of which version; undefined where this user may not ask. */
  async readServer(name: string): Promise<RedisServer | undefined> {
    try {
      const text = String(await this.#sender.ask(name, ["INFO", "server"]));
      const runId = /^run_id:(\S+)/m.exec(text)?.[1];
      const version = /^redis_version:(\S+)/m.exec(text)?.[1];
      return runId === undefined || version === undefined ? undefined : { runId, version };
    } catch (error) {
      if (error instanceof ErrorReply) return undefined;
      throw error;
    }
  }

  /** Whatever is still under way fails at once. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#sender.destroy();
  }
}

export interface LinkOptions {
  readonly url: string;
  readonly timeoutMs: number;
  /** Called once at most, when the connection is lost. */
  onLost?(error: Error): void;
}

/** Rejects within the time that is allowed. */
export async function connectToRedis(options: LinkOptions): Promise<RedisLink> {
  const parts: { destroy(): void }[] = [];
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`no connection within ${options.timeoutMs} ms`)),
    Math.max(1, options.timeoutMs),
  );
  try {
    return await Promise.race([connect(options, parts), late]);
  } catch (error) {
    for (const part of parts) destroyQuietly(part);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function connect(options: LinkOptions, parts: { destroy(): void }[]): Promise<RedisLink> {
  const shared = clientOptions();
  const client = createClient({ ...shared, url: options.url });
  parts.push(client);
  let onLost = options.onLost;
  const lose = (error: Error) => {
    const tell = onLost;
    onLost = undefined;
    if (!link?.isDestroyed) tell?.(error);
  };
  let link: RedisLink | undefined;
  client.on("error", lose);
  await client.connect();
  if (!(await isCluster(client))) {
    const send = (_key: string, args: RedisArguments) => client.sendCommand(args);
    const tell = (args: RedisArguments) => client.sendCommand(args);
    link = new RedisLink({ send, ask: send, tell, destroy: () => destroyQuietly(client) });
    return link;
  }
  client.removeListener("error", lose);
  client.on("error", () => {});
  const { username, password, tls } = readCredentials(options.url);
  const cluster = createCluster({
    rootNodes: [{ ...shared, url: options.url }],
    defaults: {
      ...shared,
      ...(username === "" ? {} : { username }),
      ...(password === "" ? {} : { password }),
      socket: tls ? { ...shared.socket, tls: true } : shared.socket,
    },
    commandOptions: shared.commandOptions,
  });
  parts.push(cluster);
  cluster.on("error", lose);
  await cluster.connect();
  client.destroy();
  link = new RedisLink({
    send: (key, args) => cluster.sendCommand(key, false, [...args], shared.commandOptions),
    ask: async (key, args) => (await cluster.getNodeClientForKey(key)).sendCommand(args),
    tell: (args) =>
      Promise.all(cluster.masters.map(async (master) => (await cluster.nodeClient(master)).sendCommand(args))),
    destroy: () => destroyQuietly(cluster),
  });
  return link;
}

/** Who may not ask is taken to be on one server, as most are. */
async function isCluster(client: { sendCommand(args: RedisArguments): Promise<unknown> }): Promise<boolean> {
  try {
    return String(await client.sendCommand(["INFO", "cluster"])).includes("cluster_enabled:1");
  } catch (error) {
    if (error instanceof ErrorReply) return false;
    throw error;
  }
}

/** The same for every link: the client makes a class of its own for each set of options, which takes tens of milliseconds. */
function clientOptions() {
  return {
    name: "lineup",
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_COMMANDS,
    maintNotifications: "disabled",
    // Deadlines are kept here for all commands together; one timer for each would cost more than the command.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    socket: { connectTimeout: CONNECT_MOST_MS, reconnectStrategy: false },
  } as const satisfies RedisClientOptions;
}

function readCredentials(text: string): { username: string; password: string; tls: boolean } {
  const url = new URL(text);
  return {
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    tls: url.protocol === "rediss:",
  };
}

function destroyQuietly(part: { destroy(): void }): void {
  try {
    part.destroy();
  } catch {
    // It was never opened, or is closed already.
  }
}

export function isReplyOf(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof ErrorReply && codes.some((code) => error.message.startsWith(code));
}

/** Rejects when Redis has not answered in time; the answer, should it come, is nobody's any more. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error(`Redis has not answered within ${ms} ms`));
  // A process that stood still meanwhile finds its timers due first, and what it was answered behind them.
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    last = setImmediate(giveUp);
  }, ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    clearImmediate(last);
    work.catch(() => {});
  }
}
