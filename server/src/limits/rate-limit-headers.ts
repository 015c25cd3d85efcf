import type { Verdict } from "./windows.ts";

/**
 * Adds the headers of the limits, each as a name and its value. Every time is rounded up to whole seconds: whoever waits
 * that long, by either clock, is admitted. `Retry-After` is there only where the verdict is a refusal.
 */
export function addRateLimitHeaders(headers: string[], verdict: Verdict): void {
  const { governing } = verdict;
  headers.push(
    "X-RateLimit-Limit",
    String(governing.limit),
    "X-RateLimit-Remaining",
    String(governing.remaining),
    "X-RateLimit-Reset",
    String(Math.ceil(governing.resetAtMs / 1000)),
    "RateLimit-Policy",
    verdict.policy,
    "RateLimit",
    stateOf(verdict),
  );
  if (!verdict.admitted) headers.push("Retry-After", String(waitOf(verdict)));
}

function stateOf({ windows }: Verdict): string {
  return windows
    .map(({ name, remaining, resetInMs }) => `"${name}";r=${remaining};t=${Math.ceil(resetInMs / 1000)}`)
    .join(", ");
}

/** In seconds, for whoever is refused. */
export function waitOf({ governing }: Verdict): number {
  return Math.max(1, Math.ceil(governing.resetInMs / 1000));
}
