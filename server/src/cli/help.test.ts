import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { type DescribedCommand, describeCommands } from "../../test/described-commands.ts";
import { buildProgram } from "../main.ts";
import { SETTINGS } from "../settings.ts";

let program: Command;
let commands: DescribedCommand[];
beforeAll(async () => {
  program = await buildProgram();
  commands = describeCommands(program);
});

function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

describe("the help", () => {
  test("knows every command of the operator", () => {
    expect(commands.map(({ path }) => path)).toEqual([
      "serve",
      "migrate",
      "org create",
      "org list",
      "org rename",
      "org tier",
      "org delete",
      "key create",
      "key list",
      "key show",
      "key revoke",
      "key rotate",
      "webhook create",
      "webhook list",
      "webhook show",
      "webhook test",
      "webhook rotate",
      "webhook disable",
      "webhook enable",
      "webhook delete",
      "webhook replay",
      "user create",
      "user list",
      "user link",
      "user reset",
      "user join",
      "user operator",
      "user delete",
      "import",
      "export",
      "backup",
      "restore",
      "move",
      "erase",
      "audit verify",
      "doctor",
    ]);
  });

  test("of every command says what it does, with an example that it would understand", () => {
    for (const { path, description, examples, options } of commands) {
      expect(description, path).not.toBe("");
      expect(examples.length, path).toBeGreaterThan(0);
      for (const example of examples) {
        expect(example).toContain(`npx lineup ${path}`);
        const known = options.map(({ flags }) => flags.split(" ")[0]);
        for (const flag of example.match(/ --[a-z-]+/g) ?? []) expect(known, example).toContain(flag.trim());
      }
    }
  });

  test("offers JSON wherever data is printed", () => {
    const without = commands.filter(({ options }) => !options.some(({ flags }) => flags === "--json"));
    expect(without.map(({ path }) => path)).toEqual(["serve"]);
  });

  test("shows the examples, and all settings with serve", () => {
    const serve = program.commands.find((command) => command.name() === "serve");
    if (serve === undefined) throw new Error("There is no serve.");
    const help = helpOf(serve);
    for (const { name } of SETTINGS) expect(help).toContain(name);
    expect(help).toContain("npx lineup serve --demo");
    expect(help).toMatch(/SIGHUP.*renewed certificate/s);
  });
});
