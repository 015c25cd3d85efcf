/** The real command, serving in a process of its own, and what a person reads from its output. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LineupSettings, runLineup, startLineup } from "../run-lineup.ts";
import { dropTestStore } from "../test-store.ts";

export interface ServedLineup {
  readonly origin: string;
  readonly dataDir: string;
  /** Everything printed until it was ready. */
  readonly banner: string;
  /** The last line of its log so far. */
  lastLogLine(): string;
  /** Runs another command on the same store; returns what it printed. */
  run(...words: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Everything is printed once a command to paste is followed by an empty line. */
const IS_READY = /\n {2}(curl|npx lineup (org|key)) .*\n\n$/;

export async function serveLineup(
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<ServedLineup> {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-served-"));
  const settings: LineupSettings = { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0", ...more };
  const child = await startLineup(["serve", ...words], settings);
  const killWithUs = () => child.kill("SIGKILL");
  process.on("exit", killWithUs);
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  let banner = "";
  for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    banner += text;
    if (IS_READY.test(banner)) break;
  }
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(banner) ?? [];
  if (origin === undefined) throw new Error(`The server did not start:\n${banner}\n${log}`);
  return {
    origin,
    dataDir,
    banner,
    lastLogLine: () => log.trim().split("\n").at(-1) ?? "",
    async run(...command) {
      const { code, out, err } = await runLineup(command, settings);
      if (code !== 0) throw new Error(`lineup ${command.join(" ")} ended with ${code}:\n${err}`);
      return out;
    },
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await exited;
      process.off("exit", killWithUs);
      await dropTestStore(dataDir);
      await rm(dataDir, { recursive: true, force: true });
      if (code !== 0) throw new Error(`The server ended with ${code}:\n${log}`);
    },
  };
}

/** The link that signs a newcomer in. */
export function readPrintedLink({ banner }: Pick<ServedLineup, "banner">): string {
  const [link] = /http:\S+\/link#\S+/.exec(banner) ?? [];
  if (link === undefined) throw new Error(`No link was printed:\n${banner}`);
  return link;
}

export interface ApiAnswer {
  readonly status: number;
  /** Undefined where it was answered. */
  readonly code: string | undefined;
  readonly requestId: string;
}

/** One call of the public API, as a tool makes it. */
export async function callApi({ origin }: ServedLineup, key: string, path = "/players"): Promise<ApiAnswer> {
  const response = await fetch(`${origin}/api/public/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: body.error?.code, requestId: response.headers.get("x-request-id") ?? "" };
}
