/** Redis servers that belong to one test, which may stop, kill and pause them as it likes. */
import { connect } from "node:net";
import { requireRedisServer } from "./binaries.ts";
import { startOnFreePort } from "./free-port.ts";
import { makeServiceFolder, type ServiceFolder, startServiceProcess, waitUntilServing } from "./service-process.ts";

export interface OwnRedis {
  /** Such as redis://127.0.0.1:16379 */
  readonly url: string;
  readonly port: number;
  /** Of the process that runs now; another after a restart. */
  readonly pid: number;
  /** In order, and its folder goes with it. May be called twice. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** On the same port, and empty, whether it runs, was killed or was stopped. */
  restart(): Promise<void>;
  /** From here on it takes connections and answers nobody. */
  pause(): void;
  resume(): void;
}

export interface OwnRedisOptions {
  /** A cluster of this one server, which has all slots. */
  readonly clusterEnabled?: boolean;
  /** Further settings, such as { maxmemory: "1mb" }. */
  readonly settings?: Readonly<Record<string, string>>;
}

const TALK_MS = 1000;

export async function startOwnRedis(options: OwnRedisOptions = {}): Promise<OwnRedis> {
  const file = requireRedisServer();
  let folder = makeServiceFolder("redis");
  const first = await startOnFreePort(async (port) => ({
    port,
    running: await start(file, port, folder, options),
  })).catch(async (error) => {
    await folder.remove();
    throw error;
  });
  const { port } = first;
  let { running } = first;
  const stop = async () => {
    await running.end("SIGTERM");
    await folder.remove();
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return running.pid;
    },
    stop,
    kill: () => running.end("SIGKILL"),
    async restart() {
      await stop();
      folder = makeServiceFolder("redis");
      running = await start(file, port, folder, options);
    },
    pause: () => running.signal("SIGSTOP"),
    resume: () => running.signal("SIGCONT"),
  };
}

async function start(file: string, port: number, folder: ServiceFolder, options: OwnRedisOptions) {
  const settings: Readonly<Record<string, string>> = {
    port: String(port),
    bind: "127.0.0.1",
    dir: folder.path,
    save: "",
    appendonly: "no",
    ...(options.clusterEnabled === true ? { "cluster-enabled": "yes" } : {}),
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const running = startServiceProcess({ file, args, folder });
  // Another server may have come first to the port and answer in place of ours, which is then about to end.
  const isOurs = (info: string) => info.includes(`process_id:${running.pid}\r`);
  await waitUntilServing("redis-server", running, async () => isOurs(await talkToRedis(port, "INFO server")));
  if (options.clusterEnabled === true) {
    await talkToRedis(port, "CLUSTER ADDSLOTSRANGE 0 16383");
    await waitUntilServing("redis-server", running, async () =>
      (await talkToRedis(port, "CLUSTER INFO")).includes("cluster_state:ok"),
    );
  }
  return running;
}

/** Sends one command without spaces in its arguments and returns the whole answer, or "" where nobody answers. */
export function talkToRedis(port: number, command: string, host = "127.0.0.1"): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect({ port, host, timeout: TALK_MS });
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    socket.once("timeout", () => socket.destroy());
    socket.on("error", () => {});
    socket.once("close", () => resolve(answer));
    socket.write(`${command}\r\nQUIT\r\n`);
  });
}
