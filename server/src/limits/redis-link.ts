/**
 * One connection to Redis, or to all of a cluster's masters: it is used until it fails and then thrown away, because before requests may go to
 * Redis again there may be something to make good (redis-standing.ts).
 *
 * What always holds: nothing waits in a queue for a connection to return; what was sent settles, at the latest when the link is
 * destroyed. Commands of one turn of the event loop go out in one write. No URL, and so no password, is in any error.
 */
import { createHash } from "node:crypto";
import { createClient, createCluster, ErrorReply, type RedisClientOptions } from "@redis/client";

export type RedisArguments = readonly string[];

export interface RedisScript {
  readonly text: string;
  readonly sha: string;
}

export function makeScript(text: string): RedisScript {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

export interface RedisLink {
  /** The name says which server of a cluster is meant. */
  send(name: string, args: RedisArguments): Promise<unknown>;
  /** A server that does not know the script is given its text. */
  run(script: RedisScript, names: readonly [string, ...string[]], args?: RedisArguments): Promise<unknown>;
  /** What is still under way fails at once. */
  destroy(): void;
}

function makeLink(part: { destroy(): void }, send: RedisLink["send"]): RedisLink {
  return {
    send,
    async run(script, names, args = []) {
      const rest = [String(names.length), ...names, ...args];
      try {
        return await send(names[0], ["EVALSHA", script.sha, ...rest]);
      } catch (error) {
        if (!isReply(error, /^NOSCRIPT/)) throw error;
        return send(names[0], ["EVAL", script.text, ...rest]);
      }
    },
    destroy: () => destroyQuietly(part),
  };
}

/** Called when the connection is lost. */
type OnLost = (error: Error, link: RedisLink) => void;

/** Rejects within the time that is allowed. */
export async function connectToRedis(url: string, withinMs: number, onLost?: OnLost): Promise<RedisLink> {
  const opened: { destroy(): void }[] = [];
  try {
    return await within(withinMs, connect(url, opened, onLost));
  } catch (error) {
    for (const part of opened) destroyQuietly(part);
    throw error;
  }
}

/** The same for every link, because the client makes a class of its own for each set of options, which takes tens of milliseconds. */
const CLIENT_OPTIONS = {
  name: "lineup",
  disableOfflineQueue: true,
  // Redis has stopped answering long before so many are under way.
  commandsQueueMaxLength: 65_536,
  maintNotifications: "disabled",
  // One deadline holds for all commands together (redis-calls.ts); a timer for each would cost more than the command.
  commandOptions: { timeout: 0 },
  // `within` ends the wait for a connection sooner.
  socket: { connectTimeout: 10_000, reconnectStrategy: false },
} as const satisfies RedisClientOptions;

async function connect(url: string, opened: { destroy(): void }[], onLost?: OnLost): Promise<RedisLink> {
  let link: RedisLink | undefined;
  const lose = (error: Error) => link !== undefined && onLost?.(error, link);
  const client = createClient({ ...CLIENT_OPTIONS, url });
  opened.push(client);
  client.on("error", lose);
  await client.connect();
  if (!(await isCluster(client))) {
    link = makeLink(client, (_name, args) => client.sendCommand(args));
    return link;
  }
  client.destroy();
  const { protocol, username, password } = new URL(url);
  const cluster = createCluster({
    rootNodes: [{ ...CLIENT_OPTIONS, url }],
    defaults: {
      ...CLIENT_OPTIONS,
      ...(username === "" ? {} : { username: decodeURIComponent(username) }),
      ...(password === "" ? {} : { password: decodeURIComponent(password) }),
      socket: protocol === "rediss:" ? { ...CLIENT_OPTIONS.socket, tls: true } : CLIENT_OPTIONS.socket,
    },
    commandOptions: CLIENT_OPTIONS.commandOptions,
  });
  opened.push(cluster);
  cluster.on("error", lose);
  await cluster.connect();
  link = makeLink(cluster, (name, args) => cluster.sendCommand(name, false, [...args], CLIENT_OPTIONS.commandOptions));
  return link;
}

/** A user that may not ask is taken to be on one server, as most are. */
async function isCluster(client: { sendCommand(args: RedisArguments): Promise<unknown> }): Promise<boolean> {
  try {
    return String(await client.sendCommand(["INFO", "cluster"])).includes("cluster_enabled:1");
  } catch (error) {
    if (isReply(error)) return false;
    throw error;
  }
}

function destroyQuietly(part: { destroy(): void }): void {
  try {
    part.destroy();
  } catch {
    // It was never opened, or is closed already.
  }
}

function isReply(error: unknown, pattern = /^/): boolean {
  return error instanceof ErrorReply && pattern.test(error.message);
}

/** Whether foreign data stands under a name: it is of another type, or a script could make no sense of it. */
export function isUnreadable(error: unknown): boolean {
  return isReply(error, /^(WRONGTYPE|ERR user_script)/);
}

/** Rejects when Redis has not answered in time; the answer, should it come, is dropped. */
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
