/** `lineup user …`: people's accounts. A link that is printed works once, and is shown this once. */
import { email as emailSchema, newPassword, PASSWORD_MAX, PASSWORD_MIN } from "@lineup/api/dashboard/account";
import { ROLES, type Role } from "@lineup/api/dashboard/members";
import { printableName } from "@lineup/api/fields";
import { type Command, Option } from "commander";
import { requireName, requireOrganization } from "../access/organizations.ts";
import type { Config } from "../config.ts";
import { nameFrom } from "../identity/first-owner.ts";
import { linkUrl, type MadeLink } from "../identity/links.ts";
import {
  createUser,
  deleteUser,
  joinOrganization,
  listUsers,
  makeResetLinkFor,
  makeSignInLinkFor,
  setOperator,
} from "../identity/user-admin.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import { readBounded, SMALL_FILE_MAX_BYTES } from "../store/bounded-file.ts";
import { addCommand, ORG_MEANING, withStore } from "./command.ts";
import {
  CommandError,
  confirmDeletion,
  formatTime,
  type JsonOption,
  note,
  print,
  printJson,
  printTable,
  shellWord,
  UsageError,
  understand,
} from "./output.ts";
import { siteUrlOf } from "./server-address.ts";

export function addTo(program: Command): void {
  const user = addCommand(program, "user", "Make, list and delete people's accounts, and links into them", [
    "npx lineup user list",
    "npx lineup user create --help",
  ]);
  addCommand(user, "create", "Make an account; without a password it prints a link with which they choose one", [
    "npx lineup user create --email sam@example.com",
    'npx lineup user create --email kim@example.com --name "Kim Lee" --org Northwind --role manager',
    "npx lineup user create --email ops@example.com --operator --password-file ./password",
  ])
    .requiredOption("--email <EMAIL>", "their email address")
    .option("--name <NAME>", "what to call them (default: the address up to the @)")
    .option("--org <ORG>", `${ORG_MEANING}; the first account of all needs none`)
    .addOption(roleOption())
    .option("--operator", "make them an operator, who sees all organizations and sets tiers")
    .option("--password-file <FILE>", `a file with their password, ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`)
    .option("--json", "print the account as JSON")
    .action(create);
  addCommand(user, "list", "List who has an account, and where", [
    "npx lineup user list",
    "npx lineup user list --json",
  ])
    .option("--json", "print a JSON array")
    .action(list);
  addUserCommand(user, "link", "Make a link that signs them in once, within a day", [
    "npx lineup user link sam@example.com",
  ]).action(makeLink);
  addUserCommand(user, "reset", "Make a link with which they choose a new password, within a day", [
    "npx lineup user reset sam@example.com",
    "npx lineup user reset sam@example.com --second-factor",
  ])
    .option("--second-factor", "give up their second factor too, for someone who lost it and the recovery codes")
    .action(reset);
  addUserCommand(user, "join", "Make them a member of an organization, or give a member another role", [
    "npx lineup user join sam@example.com --org Northwind --role compliance",
  ])
    .requiredOption("--org <ORG>", ORG_MEANING)
    .addOption(roleOption())
    .action(join);
  addUserCommand(user, "operator", "Say whether they are an operator, who sees all organizations and sets tiers", [
    "npx lineup user operator sam@example.com on",
    "npx lineup user operator sam@example.com off",
  ])
    .argument("<STATE>", "on or off")
    .action(changeOperator);
  addUserCommand(user, "delete", "Delete an account, for good; what they did stays in the audit log", [
    "npx lineup user delete sam@example.com",
    "npx lineup user delete sam@example.com --yes",
  ])
    .option("--yes", "do not ask")
    .option("--force", "even the last owner of an organization")
    .action(remove);
}

function roleOption(): Option {
  const meaning = "what they may do there (default: owner where nobody else belongs to it, else viewer)";
  return new Option("--role <ROLE>", meaning).choices(ROLES);
}

/** A command about one person's account. */
function addUserCommand(...command: Parameters<typeof addCommand>): Command {
  return addCommand(...command)
    .argument("<EMAIL>", "the email address of their account")
    .option("--json", "print it as JSON");
}

interface CreateOptions extends JsonOption {
  readonly email: string;
  readonly name?: string;
  readonly org?: string;
  readonly role?: Role;
  readonly operator?: boolean;
  readonly passwordFile?: string;
}

async function create(options: CreateOptions): Promise<void> {
  const email = requireEmail(options.email);
  const name = understand(() => requireName("The name", options.name ?? nameFrom(email)));
  if (options.role !== undefined && options.org === undefined) {
    throw new UsageError("--role says what somebody may do in an organization. Say in which with --org.");
  }
  const passwordHash = options.passwordFile === undefined ? undefined : await hashFrom(options.passwordFile);
  await withStore(
    async (store, config) => {
      const organization = options.org === undefined ? undefined : await requireOrganization(store, options.org);
      const wanted = {
        email,
        name,
        passwordHash,
        isOperator: options.operator ?? false,
        orgId: organization?.id,
        role: options.role,
      };
      const made = await createUser(store, wanted, commandOrigin("user create"), Date.now());
      const link = made.link && shownLink(config, made.link);
      if (options.json) {
        const { id } = made.user;
        return printJson({
          id,
          email,
          name,
          isOperator: wanted.isOperator,
          organization: made.organization ?? null,
          ...link,
        });
      }
      const place = made.organization && `, ${made.organization.role} of ${made.organization.name}`;
      print(`Made an account for ${name} (${email})${place ?? ""}${wanted.isOperator ? ", an operator" : ""}.`);
      if (link === undefined) note(`They sign in at ${siteUrlOf(config)}/sign-in.`);
      else printLink("With this link they choose their password", link);
    },
    { mayCreate: true },
  );
}

async function list(options: JsonOption): Promise<void> {
  await withStore(async (store) => {
    const users = await listUsers(store);
    if (options.json) return printJson(users);
    if (users.length === 0) return note('Nobody has an account yet. Make one with "lineup user create".');
    printTable(users, [
      { title: "email", value: (row) => row.email },
      { title: "name", value: (row) => row.name },
      {
        title: "belongs to",
        value: (row) => row.organizations.map(({ name, role }) => `${name} (${role})`).join(", ") || "nothing",
      },
      { title: "operator", value: (row) => (row.isOperator ? "yes" : "no") },
      { title: "signs in with", value: describeProofs },
      { title: "last seen", value: (row) => (row.lastSeenAt === null ? "not signed in" : formatTime(row.lastSeenAt)) },
    ]);
  });
}

function describeProofs({ hasPassword, hasSecondFactor }: { hasPassword: boolean; hasSecondFactor: boolean }): string {
  if (!hasPassword) return "a link";
  return hasSecondFactor ? "password and second factor" : "password";
}

async function makeLink(address: string, options: JsonOption): Promise<void> {
  const email = requireEmail(address);
  await withStore(async (store, config) => {
    const made = await makeSignInLinkFor(store, email, commandOrigin("user link"), Date.now());
    const link = shownLink(config, made);
    if (options.json) return printJson({ email, ...link });
    printLink(`This link signs ${email} in`, link);
  });
}

async function reset(address: string, options: JsonOption & { readonly secondFactor?: boolean }): Promise<void> {
  const email = requireEmail(address);
  await withStore(async (store, config) => {
    const wanted = { email, endsSecondFactor: options.secondFactor ?? false };
    const made = await makeResetLinkFor(store, wanted, commandOrigin("user reset"), Date.now());
    const link = shownLink(config, made);
    if (options.json) return printJson({ email, ...link });
    if (wanted.endsSecondFactor) {
      print(made.hadSecondFactor ? `The second factor of ${email} is given up.` : `${email} has no second factor.`);
    }
    printLink(`With this link ${email} chooses a new password`, link);
  });
}

async function join(
  address: string,
  options: JsonOption & { readonly org: string; readonly role?: Role },
): Promise<void> {
  const email = requireEmail(address);
  await withStore(async (store) => {
    const { id: orgId } = await requireOrganization(store, options.org);
    const wanted = { email, orgId, role: options.role };
    const { organization } = await joinOrganization(store, wanted, commandOrigin("user join"), Date.now());
    if (options.json) return printJson({ email, organization });
    print(`${email} is ${organization.role} of ${organization.name}.`);
  });
}

async function changeOperator(address: string, state: string, options: JsonOption): Promise<void> {
  const email = requireEmail(address);
  if (state !== "on" && state !== "off") throw new UsageError(`Say on or off, not "${printableName(state)}".`);
  await withStore(async (store) => {
    const wanted = { email, isOperator: state === "on" };
    await setOperator(store, wanted, commandOrigin("user operator"), Date.now());
    if (options.json) return printJson(wanted);
    print(wanted.isOperator ? `${email} is an operator.` : `${email} is no operator.`);
  });
}

async function remove(
  address: string,
  options: JsonOption & { readonly yes?: boolean; readonly force?: boolean },
): Promise<void> {
  const email = requireEmail(address);
  if (!options.yes) {
    const command = `npx lineup user delete ${shellWord(email)}`;
    await confirmDeletion({ what: `the account of ${email}`, name: email, command });
  }
  await withStore(async (store) => {
    const wanted = { email, mayOrphan: options.force ?? false };
    const { id, name } = await deleteUser(store, wanted, commandOrigin("user delete"), Date.now());
    if (options.json) return printJson({ id, email, name });
    print(`Deleted the account of ${name} (${email}).`);
  });
}

function requireEmail(text: string): string {
  const parsed = emailSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`"${printableName(text)}" is no email address. Give one such as sam@example.com.`);
}

/** Its text without line breaks at the end; no message repeats it. */
async function hashFrom(file: string): Promise<string> {
  const password = readBounded(file, SMALL_FILE_MAX_BYTES)
    .toString("utf8")
    .replace(/[\r\n]+$/, "");
  if (!newPassword.safeParse(password).success) {
    throw new CommandError(`The password in ${file} must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
  }
  const { hashPassword } = await import("better-auth/crypto");
  return hashPassword(password);
}

function shownLink(config: Config, { token, expiresAt }: MadeLink) {
  return { link: linkUrl(siteUrlOf(config), token), expiresAt };
}

function printLink(meaning: string, { link, expiresAt }: ReturnType<typeof shownLink>): void {
  print(`${meaning}, once, until ${formatTime(expiresAt)}:\n\n  ${link}\n`);
}
