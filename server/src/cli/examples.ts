/** Examples in a command's help, kept where anyone who describes all commands finds them too. */
import type { Command } from "commander";

const examplesOf = new WeakMap<Command, readonly string[]>();

export function addExamples(command: Command, examples: readonly string[]): Command {
  examplesOf.set(command, examples);
  const heading = examples.length === 1 ? "Example:" : "Examples:";
  return command.addHelpText("after", `\n${heading}\n${examples.map((example) => `  ${example}`).join("\n")}`);
}

export interface DescribedCommand {
  /** The words after `lineup`, such as `key create`. */
  readonly path: string;
  /** Arguments and options as the help shows them, such as `<KEY_ID> [--overlap <SPAN>]`. */
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly string[];
  readonly options: readonly { readonly flags: string; readonly description: string; readonly required: boolean }[];
  readonly examples: readonly string[];
}

/** Every command that does something, in the order of the help. */
export function describeCommands(program: Command): DescribedCommand[] {
  return program.commands.flatMap((command) => describe(command, command.name()));
}

function describe(command: Command, path: string): DescribedCommand[] {
  if (command.commands.length > 0) {
    return command.commands.flatMap((child) => describe(child, `${path} ${child.name()}`));
  }
  const words = command.registeredArguments.map((argument) => argument.name());
  const options = command.options.map(({ flags, description, mandatory }) => ({
    flags,
    description,
    required: mandatory,
  }));
  const shownOptions = options.map(({ flags, required }) => (required ? flags : `[${flags}]`));
  return [
    {
      path,
      usage: [...shownOptions, ...words.map((word) => `<${word}>`)].join(" "),
      description: command.description(),
      arguments: words,
      options,
      examples: examplesOf.get(command) ?? [],
    },
  ];
}
