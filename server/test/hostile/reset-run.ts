/** Two servers, one of them with TLS, as processes of their own; many clients that reset their connections; and others who must not notice. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { PERMISSIONS } from "@lineup/api/permissions";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { type ServerProcess, startServerProcess } from "../durability/server-process.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { openTestStore } from "../test-store.ts";
import { openRaw, RawConnection } from "./raw-connection.ts";
import { askThroughout, sendAndReset, type Way } from "./reset-clients.ts";
import { makeSelfSigned } from "./self-signed.ts";

const TOGETHER = 32;
const KEYS = 24;
/** Of its own accord V8 lets garbage lie while there is room; with little room, what stays is what is held. */
const LITTLE_HEAP = { NODE_OPTIONS: "--max-old-space-size=64 --max-semi-space-size=8" };
/** How often memory is looked at. */
const LOOKS = 20;

export interface Reset {
  readonly message: string;
  readonly way: Way;
}

export interface ResetReport {
  /** Of those beside them, all 200. */
  readonly answered: number;
  /** Of the server without TLS, over the run. */
  readonly rssBytes: readonly number[];
  /** What the servers logged as a fault of their own. */
  readonly faults: readonly string[];
}

/** Throws where a server ends, or somebody beside the clients is not answered. */
export async function runResets(resets: readonly Reset[]): Promise<ResetReport> {
  const folder = mkdtempSync(join(tmpdir(), "lineup-resets-"));
  const servers: ServerProcess[] = [];
  try {
    const { cert, key } = makeSelfSigned(4004);
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    const [tcpDir, tlsDir] = [join(folder, "tcp"), join(folder, "tls")];
    const keys = await makeKeys(tcpDir);
    const tlsKeys = await makeKeys(tlsDir);
    const plain = await startServerProcess(tcpDir, LITTLE_HEAP);
    const secure = await startServerProcess(tlsDir, {
      ...LITTLE_HEAP,
      LINEUP_TLS_CERT: certFile,
      LINEUP_TLS_KEY: keyFile,
    });
    servers.push(plain, secure);
    return await runOn(plain, secure, resets, { tcp: keys, tls: tlsKeys });
  } finally {
    for (const server of servers) await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOn(
  plain: ServerProcess,
  secure: ServerProcess,
  resets: readonly Reset[],
  keysOf: Readonly<Record<Way["transport"], readonly string[]>>,
): Promise<ResetReport> {
  const ports = { tcp: portOf(plain), tls: portOf(secure) };
  let isOver = false;
  const [plainKey = "", secureKey = ""] = [keysOf.tcp[0], keysOf.tls[0]];
  const beside = [
    askThroughout(await openRaw(plain.origin), plainKey, () => isOver),
    askThroughout(await openSecure(ports.tls), secureKey, () => isOver),
  ];
  const ended = Promise.race(
    [plain, secure].map(async ({ exited, log }) => {
      const { code, signal } = await exited;
      throw new Error(`A server ended with ${code ?? signal}:\n${log().slice(-2_000)}`);
    }),
  );
  const rssBytes: number[] = [];
  const lookEvery = Math.max(1, Math.floor(resets.length / LOOKS));
  let next = 0;
  const client = async () => {
    for (let turn = next++; turn < resets.length; turn = next++) {
      const { message, way } = resets[turn] as Reset;
      await sendAndReset({ ports, keys: keysOf[way.transport].slice(1) }, message, way, turn);
      if (turn % lookEvery === 0) rssBytes.push(await readRss(plain));
    }
  };
  const clients = Promise.all(Array.from({ length: TOGETHER }, client)).finally(() => {
    isOver = true;
  });
  await Promise.race([clients, ended]);
  const answered = await Promise.race([Promise.all(beside), ended]);
  return {
    answered: Math.min(...answered),
    rssBytes,
    faults: [plain, secure].flatMap(({ log }) =>
      log()
        .split("\n")
        .filter((line) => /"level":(?:[4-9]\d)/.test(line)),
    ),
  };
}

async function makeKeys(dataDir: string): Promise<string[]> {
  const store = await openTestStore(dataDir);
  const { id: orgId } = await createOrganization(store, { name: "Resets", tier: "Enterprise" }, TEST_ORIGIN);
  const keys: string[] = [];
  for (let made = 0; made < KEYS; made++) {
    keys.push((await createKey(store, { orgId, name: "Key", permissions: PERMISSIONS }, TEST_ORIGIN)).key);
  }
  await store.close();
  return keys;
}

function portOf(server: ServerProcess): number {
  return Number(new URL(server.origin).port);
}

async function openSecure(port: number): Promise<RawConnection> {
  const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  return new RawConnection(socket);
}

async function readRss({ origin }: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1]);
}
