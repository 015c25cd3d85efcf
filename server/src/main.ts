/**
 * The `lineup` command: reads the command line and calls the command's file in `cli/`. A command's file, and what it
 * needs, is loaded only when it is that command's turn, because most of what a command takes is loading.
 */
import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { listExamples } from "./cli/command.ts";
import { EXIT_FAILED, EXIT_USAGE, explainFailure, paint, UsageError } from "./cli/output.ts";

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
  doctor: () => import("./cli/doctor.ts"),
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
  program.hook("preAction", (_, command) => refuseEmptyPaths(command));
  finish(program, "lineup");
  return program;
}

/** Runs a command line, without the names of node and the script, and sets the exit code. */
export async function run(words: readonly string[]): Promise<void> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    // Anyone who reads the output may have read enough, as `head` does. A server goes on: others ask it, and its data is open.
    if (words[0] !== "serve") process.exit(process.exitCode ?? 0);
  });
  const asked = words[0] === "help" ? words.slice(1) : undefined;
  const [first] = asked ?? words;
  try {
    const program = await buildProgram(first !== undefined && Object.hasOwn(COMMANDS, first) ? first : undefined);
    if (first === undefined) program.outputHelp();
    else await program.parseAsync(asked === undefined ? words : wordsOfHelp(program, asked), { from: "user" });
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

/** The help of a command, however deep it lies. A word that names none is left to be refused, with nothing behind it that could be run. */
function wordsOfHelp(program: Command, asked: readonly string[]): string[] {
  const path: string[] = [];
  let command: Command | undefined = program;
  for (const word of asked) {
    if (command.commands.length === 0) break;
    path.push(word);
    command = command.commands.find((child) => child.name() === word);
    if (command === undefined) return path;
  }
  return [...path, "--help"];
}

/** An empty path would be taken for the current folder. It is what a shell makes of a variable that is not set. */
function refuseEmptyPaths(command: Command): void {
  const values = command.opts<Record<string, unknown>>();
  const empty = [
    ...command.registeredArguments.filter((_, index) => command.args[index] === "").map((one) => one.name()),
    ...command.options
      .filter((option) => /<(FILE|PATH|PLACE)>/.test(option.flags) && values[option.attributeName()] === "")
      .map((option) => option.long ?? option.flags),
  ];
  if (empty.length === 0) return;
  throw new UsageError(
    `${empty[0]} is empty. Fill it in; where a variable of the shell stands for it, set that first.`,
  );
}

function finish(command: Command, path: string): void {
  command.exitOverride();
  const examples = listExamples(command);
  if (examples.length > 0) {
    const heading = examples.length === 1 ? "Example:" : "Examples:";
    command.addHelpText("after", `\n${heading}\n${examples.map((example) => `  ${example}`).join("\n")}`);
  }
  command.showHelpAfterError(`Run "npx ${path} --help" for how it is used.`);
  for (const child of command.commands) finish(child, `${path} ${child.name()}`);
}
