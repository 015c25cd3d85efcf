/** A real server in a process of its own, for tests of what it prints and how it ends. */
import { once } from "node:events";
import { type LineupProcess, type LineupSettings, startLineup } from "./run-lineup.ts";

export const living = new Set<LineupProcess>();

/** For the end of a test file: whatever a failed test has left running. */
export function killLiving(): void {
  for (const child of living) child.kill("SIGKILL");
}

export interface Serving {
  readonly child: LineupProcess;
  readonly origin: string;
  /** Everything printed until the server was ready. */
  readonly banner: string;
  /** Everything logged so far. */
  logged(): string;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Runs the server until its banner is complete: it ends with an empty line after a command to paste. */
export async function serve(words: readonly string[], settings: LineupSettings): Promise<Serving> {
  const child = await startLineup(["serve", ...words], { LINEUP_PORT: "0", ...settings });
  living.add(child);
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  let banner = "";
  for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    banner += text;
    if (/\n {2}(curl|npx lineup) .*\n\n$/.test(banner)) break;
  }
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(banner) ?? [];
  if (origin === undefined) throw new Error(`The server did not start:\n${banner}\n${err}`);
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await once(child, "exit");
    living.delete(child);
    return code as number | null;
  };
  return { child, origin, banner, logged: () => err, stop };
}
