/** A balancer in front of nodes, as `deploy/haproxy.cfg` sets it up. */
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
  /** Certificate and key in one file, to serve HTTPS as the shipped file does. Plain HTTP unless told. */
  readonly certFile?: string;
  /** Lines of the shipped file that are left out, to see what becomes of it. */
  readonly without?: readonly string[];
}

const TALK_MS = 1000;
const SHIPPED = fileURLToPath(new URL("../../../deploy/haproxy.cfg", import.meta.url));

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
    url: `${options.certFile === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    listReady: () => listReady(socketPath),
    async stop() {
      await running.end("SIGTERM");
      await folder.remove();
    },
  };
}

/** The file that is shipped, but for where it listens, where the nodes are, and how it is asked about them. */
function describeSetup(port: number, socketPath: string, options: HaproxyOptions): string {
  const { backends, backendLines = [], certFile, without = [] } = options;
  const servers = backends.map(({ host, port }, index) => `  server node${index} ${host}:${port}`);
  const changes: readonly (readonly [RegExp, string])[] = [
    // Else two that chose the same port would share it.
    [/^global$/m, `global\n  stats socket ${socketPath} mode 600\n  noreuseport`],
    [/^ {2}log stdout .*$/m, "  log stderr format raw local0 notice"],
    [/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}${certFile === undefined ? "" : ` ssl crt ${certFile}`}`],
    [/^resolvers compose\n(?: {2}.*\n)+/m, ""],
    [/^ {2}server-template .*$/m, [...backendLines.map((line) => `  ${line}`), ...servers].join("\n")],
  ];
  let setup = readFileSync(SHIPPED, "utf8");
  for (const [found, put] of changes) {
    if (!found.test(setup)) throw new Error(`deploy/haproxy.cfg has nothing like ${found}.`);
    setup = setup.replace(found, put);
  }
  for (const line of without) {
    if (!setup.includes(`  ${line}\n`)) throw new Error(`deploy/haproxy.cfg has no line "${line}".`);
    setup = setup.replace(`  ${line}\n`, "");
  }
  return setup;
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
