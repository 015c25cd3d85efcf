/** A pool in front of PostgreSQL, which gives a client a connection for one transaction at a time. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPlainUser, requireProgram } from "./binaries.ts";
import { startOnFreePort } from "./free-port.ts";
import { makeServiceFolder, startServiceProcess, waitUntilServing } from "./service-process.ts";

export interface PgBouncer {
  readonly port: number;
  /** For the first of the users. */
  url(database: string): string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  readonly postgresPort: number;
  readonly poolMode: "transaction" | "session";
  /** Who may come in, without a password, and is let in by PostgreSQL without one. The user postgres unless told. */
  readonly users?: readonly [string, ...string[]];
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const file = requireProgram("pgbouncer");
  const user = findPlainUser();
  const folder = makeServiceFolder("pgbouncer", user);
  const users = options.users ?? ["postgres"];
  const userFile = join(folder.path, "users.txt");
  writeFileSync(userFile, users.map((name) => `"${name}" ""\n`).join(""));
  const { port, running } = await startOnFreePort(async (port) => {
    const configFile = join(folder.path, "pgbouncer.ini");
    writeFileSync(configFile, describeSetup(port, userFile, options));
    const running = startServiceProcess({ file, args: [configFile], folder, user });
    // It says so when it listens, and ends where it cannot.
    await waitUntilServing("pgbouncer", running, () => running.log().includes("process up"));
    return { port, running };
  }).catch(async (error) => {
    await folder.remove();
    throw error;
  });
  return {
    port,
    url: (database) => `postgres://${users[0]}@127.0.0.1:${port}/${database}`,
    async stop() {
      // It takes the gentler signals as a wish to wait for its clients.
      await running.end("SIGKILL");
      await folder.remove();
    },
  };
}

function describeSetup(port: number, userFile: string, options: PgBouncerOptions): string {
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: String(port),
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: userFile,
    pool_mode: options.poolMode,
    max_client_conn: "500",
    default_pool_size: "20",
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  return `[databases]\n* = host=127.0.0.1 port=${options.postgresPort}\n[pgbouncer]\n${lines.join("")}`;
}
