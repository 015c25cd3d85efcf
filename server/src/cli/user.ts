/** `lineup user …`: people's accounts. What each command does stands in user-actions.ts. */
import { PASSWORD_MAX, PASSWORD_MIN } from "@lineup/api/dashboard/account";
import { ROLES } from "@lineup/api/dashboard/members";
import { type Command, Option } from "commander";
import { addExamples } from "./examples.ts";
import { changeOperator, create, join, list, makeLink, remove, reset } from "./user-actions.ts";

const EMAIL_ARGUMENT = "the email address of their account";

export function addTo(program: Command): void {
  const user = program.command("user").description("Make, list and delete people's accounts, and links into them");
  addExamples(user, ["npx lineup user list", "npx lineup user create --help"]);
  addCreate(user);
  addExamples(
    user
      .command("list")
      .description("List who has an account, and where")
      .option("--json", "print a JSON array")
      .action(list),
    ["npx lineup user list", "npx lineup user list --json"],
  );
  addExamples(addUserCommand(user, "link", "Make a link that signs them in once, within a day").action(makeLink), [
    "npx lineup user link sam@example.com",
  ]);
  addExamples(
    addUserCommand(user, "reset", "Make a link with which they choose a new password, within a day")
      .option("--second-factor", "give up their second factor too, for whoever lost it and the recovery codes")
      .action(reset),
    ["npx lineup user reset sam@example.com", "npx lineup user reset sam@example.com --second-factor"],
  );
  addExamples(
    addUserCommand(user, "join", "Make them a member of an organization, or give a member another role")
      .requiredOption("--org <ORG>", "the organization's id or exact name")
      .addOption(roleOption())
      .action(join),
    ["npx lineup user join sam@example.com --org Northwind --role compliance"],
  );
  addExamples(
    addUserCommand(user, "operator", "Say whether they are an operator, who sees all organizations and sets tiers")
      .argument("<STATE>", "on or off")
      .action(changeOperator),
    ["npx lineup user operator sam@example.com on", "npx lineup user operator sam@example.com off"],
  );
  addExamples(
    addUserCommand(user, "delete", "Delete an account, for good; what they did stays in the audit log")
      .option("--yes", "do not ask")
      .option("--force", "even the last owner of an organization")
      .action(remove),
    ["npx lineup user delete sam@example.com", "npx lineup user delete sam@example.com --yes"],
  );
}

function addCreate(user: Command): void {
  addExamples(
    user
      .command("create")
      .description("Make an account; without a password it prints a link with which they choose one")
      .requiredOption("--email <EMAIL>", "their email address")
      .option("--name <NAME>", "what to call them (default: the address up to the @)")
      .option("--org <ORG>", "the organization's id or exact name; the first account of all needs none")
      .addOption(roleOption())
      .option("--operator", "make them an operator, who sees all organizations and sets tiers")
      .option("--password-file <FILE>", `a file with their password, ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`)
      .option("--json", "print the account as JSON")
      .action(create),
    [
      "npx lineup user create --email sam@example.com",
      'npx lineup user create --email kim@example.com --name "Kim Lee" --org Northwind --role manager',
      "npx lineup user create --email ops@example.com --operator --password-file ./password",
    ],
  );
}

function roleOption(): Option {
  const meaning = "what they may do there (default: owner where nobody else belongs to it, else viewer)";
  return new Option("--role <ROLE>", meaning).choices(ROLES);
}

function addUserCommand(user: Command, name: string, description: string): Command {
  return user
    .command(name)
    .description(description)
    .argument("<EMAIL>", EMAIL_ARGUMENT)
    .option("--json", "print it as JSON");
}
