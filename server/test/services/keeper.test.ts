import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import { canStart, hasPostgres } from "./provided-services.ts";

const SCRIPT = fileURLToPath(new URL("killed-run.ts", import.meta.url));

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill("SIGKILL");
});

interface Having {
  readonly database: string;
  readonly ports: readonly number[];
}

async function startRun(): Promise<Having> {
  const env = { ...process.env, LINEUP_TEST_POSTGRES_URL: inject("services").postgres?.adminUrl, CI: "" };
  child = spawn(process.execPath, [SCRIPT], { env, stdio: ["pipe", "pipe", "inherit"] });
  if (child.stdout === null) throw new Error("The run has no output.");
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error("The run ended without a word.");
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function isDatabase(name: string): Promise<boolean> {
  const client = new Client(inject("services").postgres?.adminUrl);
  await client.connect();
  const { rows } = await client.query("select 1 from pg_database where datname = $1", [name]);
  await client.end();
  return rows.length > 0;
}

async function listTraces({ database, ports }: Having): Promise<string[]> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(`lineup-services-${child?.pid}-`));
  const listening = await Promise.all(ports.map(isListening));
  return [
    ...folders,
    ...ports.filter((_, index) => listening[index] === true).map((port) => `port ${port}`),
    ...((await isDatabase(database)) ? [database] : []),
  ];
}

describe.skipIf(!hasPostgres() || !canStart("redis", "postgres"))("A run that is ended in the middle", () => {
  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
    "by %s leaves no process, folder or database",
    async (signal) => {
      const having = await startRun();
      expect(await listTraces(having)).toHaveLength(4);
      child?.kill(signal);
      await once(child as ChildProcess, "exit");
      const deadline = performance.now() + 15_000;
      let traces = await listTraces(having);
      while (traces.length > 0 && performance.now() < deadline) {
        await sleep(50);
        traces = await listTraces(having);
      }
      expect(traces).toEqual([]);
    },
  );
});
