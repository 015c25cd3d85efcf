/** A real server for tests: its own data folder, its own free port, real HTTP. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERMISSIONS, type Permission } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import { createKey, type MadeKey } from "../src/access/key-admin.ts";
import { createOrganization } from "../src/access/organizations.ts";
import { type RunningServer, type StartOptions, startServer } from "../src/app.ts";
import { type Config, readConfig } from "../src/config.ts";
import type { Store } from "../src/store/store.ts";
import { TEST_ORIGIN, TEST_SECRET } from "./test-origin.ts";
import { dropTestStore, storeSettingsOf } from "./test-store.ts";

export interface TestServer {
  readonly running: RunningServer;
  readonly store: Store;
  readonly dataDir: string;
  /** Such as http://127.0.0.1:41234 */
  readonly origin: string;
  /** The origin and the prefix. */
  readonly baseUrl: string;
  /** Everything logged so far. */
  logged(): string;
  stop(): Promise<void>;
}

export interface TestServerOptions extends Pick<StartOptions, "clock" | "arrival" | "beforeListening" | "webhooks"> {
  /** With a database, or expressly none, it is not the store of the data folder that the run's engine gives. */
  readonly config?: Partial<Config>;
  /** An existing folder, which is then kept. */
  readonly dataDir?: string;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "lineup-test-")));
  const lines: string[] = [];
  const hasOwnStore = options.config !== undefined && "databaseUrl" in options.config;
  const config: Config = {
    ...readConfig({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0" }),
    ...(hasOwnStore ? {} : await storeSettingsOf(dataDir)),
    ...(options.config?.databaseUrl === undefined ? {} : { secret: TEST_SECRET }),
    ...options.config,
  };
  const { clock, arrival, beforeListening, webhooks } = options;
  const running = await startServer(config, {
    logTo: { write: (line) => void lines.push(line) },
    ...(clock === undefined ? {} : { clock }),
    ...(arrival === undefined ? {} : { arrival }),
    ...(beforeListening === undefined ? {} : { beforeListening }),
    webhooks,
  });
  return {
    running,
    store: running.store,
    dataDir,
    origin: running.address,
    baseUrl: `${running.address}/api/public/v1`,
    logged: () => lines.join(""),
    async stop() {
      await running.stop();
      if (options.dataDir !== undefined) return;
      await dropTestStore(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function makeOrg(
  server: TestServer,
  tier: Tier = "Enterprise",
  name = "Test organization",
): Promise<string> {
  return (await createOrganization(server.store, { name, tier }, TEST_ORIGIN)).id;
}

export async function makeKey(
  server: TestServer,
  orgId: string,
  permissions: readonly Permission[] = PERMISSIONS,
  expiresAt: number | null = null,
): Promise<MadeKey> {
  return createKey(server.store, { orgId, name: "Test key", permissions, expiresAt }, TEST_ORIGIN);
}

/** A body as it came, typed loosely: tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; tests judge it field by field.
export type LooseBody = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: LooseBody;
}

export interface CallOptions {
  /** The key itself; undefined sends no Authorization. */
  readonly key?: string | undefined;
  /** Sent as JSON, unless it is a string or bytes, which go as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One call, relative to the base URL. */
export async function call(
  server: TestServer,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers.authorization ??= `Bearer ${options.key}`;
  const { body } = options;
  const raw =
    typeof body === "string" || body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body);
  if (raw !== undefined) headers["content-type"] ??= "application/json";
  const response = await fetch(server.baseUrl + path, {
    method,
    headers,
    ...(raw === undefined ? {} : { body: raw as NonNullable<RequestInit["body"]> }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}
