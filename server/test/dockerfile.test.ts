/** What can be tried of the Dockerfile and of compose.yaml without a container engine. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "./docs-tables.ts";
import { makeSelfSigned } from "./hostile/self-signed.ts";
import { findFreePort } from "./services/free-port.ts";
import { startTestServer } from "./test-server.ts";

const DOCKERFILE = readFileSync(join(ROOT, "Dockerfile"), "utf8");

/** How it ends in a container with these settings. */
function checkHealth(settings: Readonly<Record<string, string>>): Promise<number> {
  const [program = "", ...args] = JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(DOCKERFILE)?.[1] ?? "[]") as string[];
  expect(program).toBe("node");
  const { promise, resolve } = Promise.withResolvers<number>();
  execFile(process.execPath, args, { env: settings }, (error) => resolve(error === null ? 0 : Number(error.code)));
  return promise;
}

it("brings every part of the project that the lock file knows, and compose.yaml what it mounts", () => {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { workspaces: string[] };
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = ""]) => sources.split(" "));
  expect(copied).toEqual(expect.arrayContaining(workspaces.map((part) => `${part}/package.json`)));
  const mounted = [...readFileSync(join(ROOT, "compose.yaml"), "utf8").matchAll(/"\.\/(deploy\/[^:]+):/g)];
  expect(mounted).toHaveLength(2);
  for (const path of [...copied, ...mounted.map(([, path = ""]) => path)])
    expect(existsSync(join(ROOT, path)), path).toBe(true);
});

it("the check finds the server on the port that was set, with a certificate or without, and sees that none is there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lineup-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const { cert, key } = makeSelfSigned(1001);
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const plain = await startTestServer();
  const secure = await startTestServer({ config: { tls: { certFile, keyFile } } });
  onTestFinished(async () => {
    await plain.stop();
    await secure.stop();
  });
  const portOf = ({ origin }: { readonly origin: string }) => new URL(origin).port;
  expect(await checkHealth({ LINEUP_PORT: portOf(plain) })).toBe(0);
  expect(await checkHealth({ PORT: portOf(plain) })).toBe(0);
  expect(await checkHealth({ LINEUP_PORT: portOf(secure), LINEUP_TLS_CERT: certFile })).toBe(0);
  expect(await checkHealth({ LINEUP_PORT: String(await findFreePort()) })).toBe(1);
});
