import { once } from "node:events";
import { mkdtempSync, rmSync, unwatchFile, utimesSync, watchFile, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import pino from "pino";
import { expect, it, onTestFinished } from "vitest";
import { makeSelfSigned } from "../../test/hostile/self-signed.ts";
import { followCertificate, tlsOptions } from "./tls.ts";

/** A server with a certificate of its own, which can be renewed. */
async function serve() {
  const folder = mkdtempSync(join(tmpdir(), "lineup-tls-"));
  const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  const install = (serial: number) => {
    const pair = makeSelfSigned(serial);
    writeFileSync(files.certFile, pair.cert);
    writeFileSync(files.keyFile, pair.key);
  };
  install(2001);
  const server = createServer(tlsOptions(files)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { server, files, install };
}

it("takes up a certificate that was renewed after the server had read it and before anybody watched", async () => {
  const { server, files, install } = await serve();
  install(2002);
  onTestFinished(followCertificate(server, files, pino({ level: "silent" })));
  const servedSerial = async () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return Number.parseInt(serialNumber, 16);
  };
  await expect.poll(servedSerial, { interval: 100 }).toBe(2002);
});

it("tells once of a pair that it took up, however often its files are looked at", async () => {
  const { server, files, install } = await serve();
  const told: string[] = [];
  onTestFinished(followCertificate(server, files, pino({}, { write: (line: string) => told.push(line) })));
  install(2002);
  await expect.poll(() => told.length, { interval: 50 }).toBe(1);
  await Promise.all(Object.values(files).map(touch));
  expect(told.map((line) => JSON.parse(line).msg)).toEqual(["took up a changed certificate"]);
});

/** Resolves when anyone who watches the file was told that it was written, by somebody who was told after them. */
async function touch(file: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = () => resolve();
  watchFile(file, listener);
  onTestFinished(() => unwatchFile(file, listener));
  const later = Date.now() / 1_000 + 60;
  utimesSync(file, later, later);
  await promise;
}
