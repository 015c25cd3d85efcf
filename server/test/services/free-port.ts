/**
 * Free ports on 127.0.0.1, below those that the system gives to connections. A port from among those could be taken by any
 * connection while its server is down; a client that keeps trying to reach the server would in the end even reach itself.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

const LOWEST = 15_000;
/** Linux gives connections 32768 and above, macOS 49152 and above. */
const BEYOND = 32_000;
const TRIES = 100;
const STARTS = 3;

export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${TRIES} ports tried between ${LOWEST} and ${BEYOND} is free.`);
}

/** Between finding a port and taking it somebody else may come first, and then another is tried. */
export async function startOnFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    try {
      return await start(port);
    } catch (error) {
      const isTaken = error instanceof Error && /address already in use/i.test(error.message);
      if (!isTaken || attempt === STARTS) throw error;
    }
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
