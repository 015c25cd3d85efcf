/** Asks whoever sits at the terminal before what cannot be undone. */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** Whether they said yes, or typed the name. Ctrl-C and the end of the input are no answer. */
export async function confirm(question: string, name: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const gone = once(terminal, "close").then(() => "");
    const answer = await Promise.race([terminal.question(`${question} [y/N] `).catch(() => ""), gone]);
    return ["y", "yes", name.toLowerCase()].includes(answer.trim().toLowerCase());
  } finally {
    terminal.close();
  }
}
