/** Runs commands of lineup one after the other, for `run-lineup.ts`: loading them is nearly all that most of them cost, and here it is done once. */
import { run } from "../src/main.ts";

export interface CommandRequest {
  readonly words: readonly string[];
  /** All that the command knows of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandReply {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

// Every command listens for a reader that has gone.
process.stdout.setMaxListeners(0);
process.on("message", async ({ words, env }: CommandRequest) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = 0;
  const [out, err] = [collect(process.stdout), collect(process.stderr)];
  await run(words);
  const reply: CommandReply = { code: Number(process.exitCode), out: out.join(""), err: err.join("") };
  process.exitCode = 0;
  process.send?.(reply);
});

/** What is written from now on. */
function collect(stream: NodeJS.WriteStream): string[] {
  const texts: string[] = [];
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    texts.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const done = rest.at(-1);
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  };
  return texts;
}
