/**
 * Where the server of a data folder is reached: written down when it listens and removed when it stops, for commands that know its folder
 * and not its other settings. A server that was killed leaves the file behind; it is believed only while the process that wrote it
 * lives and somebody holds the folder, and of a server on the same store. Without it, commands go by their own settings.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_PATH } from "@lineup/api/endpoint";
import { z } from "zod";
import { type Config, describeStore } from "../config.ts";
import { readBounded, SMALL_FILE_MAX_BYTES } from "../store/bounded-file.ts";
import { isDataFolderHeld } from "../store/data-folder.ts";
import { codeOf } from "../store/store-error.ts";

const ADDRESS_FILE = "server.json";

const writtenAddress = z.object({
  pid: z.int().positive(),
  store: z.string(),
  /** What the addresses of the API begin with, for a client on this machine. */
  origin: z.url(),
  /** What links for people begin with. */
  site: z.url(),
});

export type ServerAddress = Pick<z.infer<typeof writtenAddress>, "origin" | "site">;

/** Returns how to take it back. What cannot be written is no reason not to serve. */
export function writeServerAddress(config: Config, address: ServerAddress): () => void {
  // Servers that keep nothing in the folder may share it, and none of them is the one.
  if (config.databaseUrl !== undefined && config.redisUrl !== undefined) return () => {};
  const file = join(config.dataDir, ADDRESS_FILE);
  const unfinished = `${file}.unfinished`;
  try {
    const written = { pid: process.pid, store: nameStore(config), ...address };
    writeFileSync(unfinished, `${JSON.stringify(written)}\n`, { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    removeFile(unfinished);
  }
  return () => removeFile(file);
}

/** Undefined where no server is known to run on this store. */
export function findServerAddress(config: Config): ServerAddress | undefined {
  try {
    const text = readBounded(join(config.dataDir, ADDRESS_FILE), SMALL_FILE_MAX_BYTES).toString("utf8");
    const { pid, store, origin, site } = writtenAddress.parse(JSON.parse(text));
    const isThere = store === nameStore(config) && isAnotherAlive(pid) && isDataFolderHeld(config.dataDir);
    return isThere ? { origin, site } : undefined;
  } catch {
    return undefined;
  }
}

/** The embedded store is where the file is, by whichever path that was found. */
function nameStore(config: Config): string {
  return config.databaseUrl === undefined ? "embedded" : describeStore(config);
}

function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Nobody believes it once this process has ended.
  }
}

function isAnotherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is another user's.
    return codeOf(error) === "EPERM";
  }
}

export function baseUrlOf(config: Config): string {
  return `${findServerAddress(config)?.origin ?? originOf(config)}${BASE_PATH}`;
}

/** What links for people begin with. */
export function siteUrlOf(config: Config): string {
  return config.publicUrl ?? findServerAddress(config)?.site ?? originOf(config);
}

/** Where a client on this machine reaches the server; behind a proxy only the operator knows. */
export function originOf(config: Pick<Config, "host" | "isLoopback" | "port" | "tls">): string {
  if (!config.isLoopback && config.tls === undefined) return "https://YOUR-HOST";
  const host = ["0.0.0.0", "::"].includes(config.host) ? "localhost" : config.host;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return `${config.tls === undefined ? "http" : "https"}://${shownHost}:${config.port}`;
}

export function curlLine(baseUrl: string, path: string, key: string): string {
  return `curl -H "Authorization: Bearer ${key}" ${baseUrl}${path}`;
}
