/** The server's certificate, and its renewal without a restart. */
import { unwatchFile, watchFile } from "node:fs";
import type { Server as TlsServer } from "node:https";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";
import { readBounded } from "../store/bounded-file.ts";

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const LOOK_EVERY_MS = 1_000;
/** A certificate with all of its chain takes a hundredth of it. */
const PEM_MAX_BYTES = 1024 * 1024;

export function tlsOptions(files: TlsFiles) {
  const read = (file: string) => readBounded(file, PEM_MAX_BYTES);
  return { cert: read(files.certFile), key: read(files.keyFile), minVersion: "TLSv1.2" as const };
}

/**
 * Looks at both files and takes up a changed pair for new connections. A pair that does not fit together, as while one file
 * is written and the other not yet, is left alone until it does; the server goes on with what it has.
 *
 * Watching tells of changes since it began, which is later than the server has read the files. So they are read once more
 * when it has surely begun.
 */
export function followCertificate(server: TlsServer, files: TlsFiles, log: Logger): () => void {
  let told = readIfThere(files);
  const takeUp = () => {
    try {
      const options = tlsOptions(files);
      createSecureContext(options);
      server.setSecureContext(options);
      // Where both files have changed, the second of them brings nothing new.
      const isNews = !told?.cert.equals(options.cert) || !told.key.equals(options.key);
      if (isNews) log.info("took up a changed certificate");
      told = options;
    } catch (err) {
      log.warn({ err }, "a changed certificate cannot be used yet; the one before stays");
    }
  };
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, takeUp);
  const once = setTimeout(takeUp, LOOK_EVERY_MS).unref();
  return () => {
    clearTimeout(once);
    for (const path of paths) unwatchFile(path, takeUp);
  };
}

function readIfThere(files: TlsFiles): ReturnType<typeof tlsOptions> | undefined {
  try {
    return tlsOptions(files);
  } catch {
    return undefined;
  }
}
