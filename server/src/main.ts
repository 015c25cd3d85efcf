/**
 * The `lineup` command: reads the command line and calls the command's file in `cli/`. A command's file, and what it
 * needs, is loaded only when it is that command's turn, because most of what a command takes is loading.
 */
import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { EXIT_FAILED, EXIT_USAGE, explainFailure, UsageError } from "./cli/failure.ts";
import { paint } from "./cli/output.ts";

interface CommandModule {
  addTo(program: Command): void;
}

const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  serve: () => import("./cli/serve.ts"),
  migrate: () => import("./cli/migrate.ts"),
  org: () => import("./cli/org.ts"),
  key: () => import("./cli/key.ts"),
  webhook: () => import("./cli/webhook.ts"),
  user: () => import("./cli/user.ts"),
  import: () => import("./cli/import.ts"),
  export: () => import("./cli/export.ts"),
  backup: () => import("./cli/backup.ts"),
  restore: () => import("./cli/restore.ts"),
  move: () => import("./cli/move.ts"),
  erase: () => import("./cli/erase.ts"),
  audit: () => import("./cli/audit.ts"),
};

/** The whole program, or one command of it, which is all that running that command needs. */
export async function buildProgram(only?: string): Promise<Command> {
  const program = new Command("lineup")
    .description("Lineup: the organization data API for esports.")
    .version(manifest.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help for a command")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({ styleTitle: (title) => paint("bold", title) })
    .addHelpText(
      "after",
      `
Settings are environment variables; "lineup serve --help" lists them.
Exit codes: 0 done, ${EXIT_FAILED} not done, ${EXIT_USAGE} not understood.`,
    );
  for (const [name, load] of Object.entries(COMMANDS)) {
    if (only === undefined || only === name) (await load()).addTo(program);
  }
  finish(program, "lineup");
  return program;
}

/** Runs a command line, without the names of node and the script, and sets the exit code. */
export async function run(words: readonly string[]): Promise<void> {
  // Anyone who reads the output may have read enough, as `head` does.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(process.exitCode ?? 0);
  });
  const [first] = words;
  try {
    const program = await buildProgram(first !== undefined && Object.hasOwn(COMMANDS, first) ? first : undefined);
    if (first === undefined) program.outputHelp();
    else await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what was wrong already.
      process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
      return;
    }
    process.stderr.write(`${paint("red", "Error:", process.stderr)} ${explainFailure(error)}\n`);
    process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

function finish(command: Command, path: string): void {
  command.exitOverride();
  command.showHelpAfterError(`Run "npx ${path} --help" for how it is used.`);
  for (const child of command.commands) finish(child, `${path} ${child.name()}`);
}
