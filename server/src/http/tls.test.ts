import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import pino from "pino";
import { expect, it, onTestFinished } from "vitest";
import { makeSelfSigned } from "../../test/hostile/self-signed.ts";
import { followCertificate, tlsOptions } from "./tls.ts";

it("takes up a certificate that was renewed after the server had read it and before anybody watched", async () => {
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
  install(2002);
  const unfollow = followCertificate(server, files, pino({ level: "silent" }));
  onTestFinished(() => {
    unfollow();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const servedSerial = async () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return Number.parseInt(serialNumber, 16);
  };
  await expect.poll(servedSerial, { timeout: 5_000, interval: 100 }).toBe(2002);
});
