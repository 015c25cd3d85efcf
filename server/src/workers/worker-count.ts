/** How many workers serve, as an operator writes it: a number, or `auto` for one a core. */
import { availableParallelism } from "node:os";

export const WORKERS_MAX = 64;

/** Where several listeners may share a port, and the system spreads the connections over them. */
const SHARES_PORTS: readonly NodeJS.Platform[] = ["linux", "freebsd"];

/** Undefined where it is neither. */
export function readWorkerCount(text: string): number | undefined {
  if (text.toLowerCase() === "auto") return canSharePort() ? Math.min(availableParallelism(), WORKERS_MAX) : 1;
  const count = Number(text);
  return /^\d{1,3}$/.test(text) && count >= 1 && count <= WORKERS_MAX ? count : undefined;
}

export function canSharePort(platform = process.platform): boolean {
  return SHARES_PORTS.includes(platform);
}

/** Why so many workers cannot be had, in words for the operator, after the name of what asked for them; undefined when they can. */
export function findWorkerFault(text: string, platform = process.platform): string | undefined {
  const count = readWorkerCount(text);
  if (count === undefined)
    return `must be a whole number from 1 to ${WORKERS_MAX}, or auto for one a core, not "${text}".`;
  if (count === 1 || canSharePort(platform)) return undefined;
  return (
    `is ${text}, but on this system (${platform}) several workers cannot listen on one port. ` +
    "Use 1, or run several servers behind a balancer, with PostgreSQL and Redis."
  );
}
