/**
 * A balancer in front of nodes, as a careful operator sets it up: it asks each node every 100 ms whether it is ready, keeps connections to
 * clients alive, and sends a request to another node only where the first cannot have begun with it, or where it changes nothing.
 */
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { requireProgram } from "./binaries.ts";
import { startOnFreePort } from "./free-port.ts";
import { makeServiceFolder, startServiceProcess, waitUntilServing } from "./service-process.ts";

export interface Backend {
  readonly host: string;
  readonly port: number;
}

export interface Haproxy {
  readonly port: number;
  /** Such as http://127.0.0.1:18080 */
  readonly url: string;
  /** Whether each backend gets requests, in the order they were given. */
  listReady(): Promise<boolean[]>;
  stop(): Promise<void>;
}

export interface HaproxyOptions {
  /** Their ports stay the same while nodes come and go, so they are chosen before: see findFreePort. */
  readonly backends: readonly Backend[];
  /** Lines for the section of the backends, such as "balance leastconn". */
  readonly backendLines?: readonly string[];
}

const TALK_MS = 1000;

export async function startHaproxy(options: HaproxyOptions): Promise<Haproxy> {
  const file = requireProgram("haproxy");
  const folder = makeServiceFolder("haproxy");
  const socketPath = join(folder.path, "control");
  const { port, running } = await startOnFreePort(async (port) => {
    const configFile = join(folder.path, "haproxy.cfg");
    writeFileSync(configFile, describeSetup(port, socketPath, options));
    const running = startServiceProcess({ file, args: ["-db", "-f", configFile], folder });
    await waitUntilServing("haproxy", running, async () => (await listReady(socketPath)).length > 0);
    return { port, running };
  }).catch(async (error) => {
    await folder.remove();
    throw error;
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    listReady: () => listReady(socketPath),
    async stop() {
      await running.end("SIGTERM");
      await folder.remove();
    },
  };
}

function describeSetup(port: number, socketPath: string, options: HaproxyOptions): string {
  return `
global
  stats socket ${socketPath} mode 600
  log stderr format raw local0 notice
  # Else two that chose the same port would share it.
  noreuseport

defaults
  mode http
  log global
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 1s
  timeout http-keep-alive 60s
  # A connection to a node serves one request. One kept for the next could be closed by the node in the same moment.
  option http-server-close
  retries 3
  option redispatch 1

frontend clients
  bind 127.0.0.1:${port}
  option forwardfor
  http-request set-header X-Forwarded-Proto https
  default_backend nodes

backend nodes
  balance roundrobin
  # A request that found no connection can go anywhere. One that was sent and not answered, only where it changes nothing.
  retry-on conn-failure empty-response
  http-request disable-l7-retry unless METH_GET
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host balancer
  http-check expect status 200
  default-server check inter 100ms fall 1 rise 1
${(options.backendLines ?? []).map((line) => `  ${line}\n`).join("")}
${options.backends.map(({ host, port }, index) => `  server node${index} ${host}:${port}\n`).join("")}`;
}

/** Empty where it does not serve yet. */
async function listReady(socketPath: string): Promise<boolean[]> {
  const [head = "", ...rows] = (await talk(socketPath, "show stat")).split("\n");
  const columns = head.replace("# ", "").split(",");
  const [name, status] = [columns.indexOf("svname"), columns.indexOf("status")];
  return rows
    .map((row) => row.split(","))
    .filter((row) => row[name]?.startsWith("node"))
    .map((row) => row[status]?.startsWith("UP") === true);
}

function talk(socketPath: string, command: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect({ path: socketPath, timeout: TALK_MS });
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    socket.once("timeout", () => socket.destroy());
    socket.on("error", () => {});
    socket.once("close", () => resolve(answer));
    socket.write(`${command}\n`);
  });
}
