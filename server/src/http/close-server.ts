/**
 * Ends a server such that what clients sent before is answered. Everybody who waits to be accepted is; then nobody is. Connections that are idle
 * stay open for one more request, because a client may have sent it before it could know; every answer meanwhile closes its connection
 * (`isDraining` of the server). Those under way are waited for, up to a deadline, so that a stop always ends.
 */
import { once } from "node:events";
import { Server as NetServer } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { NodeServer } from "./node-server.ts";

/** For how long clients may keep coming to be accepted; on a busy machine it takes long to accept those who were there before. */
const ACCEPT_MOST_MS = 3_000;
/** By then, what a client sent while the server was listening has arrived. */
const LAST_REQUESTS_MS = 100;
/** Connections that were busy fall idle later. */
const SWEEP_EVERY_MS = 50;
const CUT_OFF_AFTER_MS = 8_000;

export async function closeServer({ server, lane }: NodeServer): Promise<void> {
  await acceptWaiting(server);
  const closed = once(server, "close");
  // HTTP's own `close` would also close idle connections at once, with what has just arrived on them.
  NetServer.prototype.close.call(server);
  await Promise.race([closed, sleep(LAST_REQUESTS_MS)]);
  // Everything that has arrived is read before the first connection is closed.
  await nextTurn();
  const closeIdle = () => {
    lane?.closeIdleConnections();
    server.closeIdleConnections();
  };
  const sweep = setInterval(closeIdle, SWEEP_EVERY_MS);
  const cutOff = setTimeout(() => {
    lane?.closeAllConnections();
    server.closeAllConnections();
  }, CUT_OFF_AFTER_MS);
  closeIdle();
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}

/** A turn of the event loop accepts one connection, if any waits; so nobody is waiting where two turns accepted none. */
async function acceptWaiting(server: NodeServer["server"]): Promise<void> {
  let hasAccepted = true;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on("connection", onConnection);
  const giveUpAt = performance.now() + ACCEPT_MOST_MS;
  while (hasAccepted && performance.now() < giveUpAt) {
    hasAccepted = false;
    await nextTurn();
    await nextTurn();
  }
  server.off("connection", onConnection);
}
