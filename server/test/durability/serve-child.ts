/**
 * The server as a process of its own, for tests that kill, stop or constrain one. It loads everything first and starts on a
 * line of standard input, so that a test can have the next process ready while it still looks at the last.
 */
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import Sqlite from "better-sqlite3";
import { startServer } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";

// Its native part is loaded with the first use, which must come before rights are given up.
new Sqlite(":memory:").close();
// Anyone who is killed cannot write down at its end what it compiled.
flushCompileCache();
await once(process.stdin, "data");
process.stdin.pause();

const uid = Number(process.env.TEST_CHILD_UID ?? -1);
if (uid >= 0) {
  process.setgid?.(uid);
  process.setuid?.(uid);
}

try {
  const running = await startServer(readConfig(process.env));
  process.once("SIGTERM", () => {
    running.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.stdout.write(`${running.address}\n`);
} catch (error) {
  console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
  process.exitCode = 1;
}
