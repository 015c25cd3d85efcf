import type { Verdict } from "./windows.ts";

/**
 * Every time is rounded up to whole seconds: whoever waits that long, by either clock, is admitted. `Retry-After` is there
 * only where the verdict is a refusal.
 */
export function rateLimitHeaders(verdict: Verdict): Record<string, string> {
  const { governing } = verdict;
  let policy = "";
  let state = "";
  for (const window of verdict.windows) {
    const separator = policy === "" ? "" : ", ";
    policy += `${separator}"${window.name}";q=${window.limit};w=${window.windowSeconds}`;
    state += `${separator}"${window.name}";r=${window.remaining};t=${Math.ceil(window.resetInMs / 1000)}`;
  }
  const headers: Record<string, string> = {
    "X-RateLimit-Limit": String(governing.limit),
    "X-RateLimit-Remaining": String(governing.remaining),
    "X-RateLimit-Reset": String(Math.ceil(governing.resetAtMs / 1000)),
    "RateLimit-Policy": policy,
    RateLimit: state,
  };
  if (!verdict.admitted) headers["Retry-After"] = String(Math.max(1, Math.ceil(governing.resetInMs / 1000)));
  return headers;
}
