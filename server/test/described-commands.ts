/** Every command as its help describes it, for tests that hold help and documents against each other. */
import type { Command } from "commander";
import { listExamples } from "../src/cli/command.ts";

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
      examples: listExamples(command),
    },
  ];
}
