/** A certificate that is renewed while several workers serve. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { makeSelfSigned } from "../hostile/self-signed.ts";
import { makeDataDir, removeDataDir, startServe } from "./worker-server.ts";

/** So many that every worker has some, in as good as any run. */
const CONNECTIONS = 24;

test("is taken up by all of them, and told once", async () => {
  const dataDir = await makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const files = { LINEUP_TLS_CERT: join(dataDir, "cert.pem"), LINEUP_TLS_KEY: join(dataDir, "key.pem") };
  const install = (serial: number) => {
    const { cert, key } = makeSelfSigned(serial);
    writeFileSync(files.LINEUP_TLS_CERT, cert);
    writeFileSync(files.LINEUP_TLS_KEY, key);
  };
  install(3001);
  const server = await startServe(["--workers", "3"], dataDir, files);
  onTestFinished(async () => void (await server.stop()));
  const readSerial = async () => {
    const socket = connect({ port: Number(new URL(server.origin).port), host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return Number.parseInt(serialNumber, 16);
  };
  const readSerials = async () => new Set(await Promise.all(Array.from({ length: CONNECTIONS }, readSerial)));
  expect(await readSerials()).toEqual(new Set([3001]));
  install(3002);
  await expect.poll(readSerials, { interval: 100 }).toEqual(new Set([3002]));
  expect(await server.stop()).toBe(0);
  expect(server.log().match(/took up a changed certificate/g)).toHaveLength(1);
});
