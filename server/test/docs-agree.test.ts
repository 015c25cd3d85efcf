/** The documents agree with the code, both ways: what is in one and not in the other fails here. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { ERROR_CODES, ERROR_STATUS } from "@lineup/api/errors";
import { ParameterFault, type ParameterTable } from "@lineup/api/parameters";
import { PERMISSION_GRANTS, PERMISSIONS } from "@lineup/api/permissions";
import { GAMES, ROLES_BY_GAME } from "@lineup/api/roles";
import { TIER_NAMES, TIERS } from "@lineup/api/tiers";
import { describe, expect, test } from "vitest";
import { makeWebhookSecret, signMessage } from "../src/events/webhook-secret.ts";
import { AnswerCache } from "../src/http/answer-cache.ts";
import { Metrics } from "../src/http/metrics.ts";
import { buildProgram } from "../src/main.ts";
import { redisNumbers } from "../src/open-limiter.ts";
import { listeningNumber, memoryNumbers, requestLogNumbers } from "../src/open-server-store.ts";
import { webhookNumbers } from "../src/open-webhooks.ts";
import { SETTINGS } from "../src/settings.ts";
import { TABLE_NAMES, TABLES } from "../src/transfer/tables.ts";
import { RECORD_LISTS } from "./contract/endpoint-requests.ts";
import { type DescribedCommand, describeCommands } from "./described-commands.ts";
import {
  blocksOf,
  codeOf,
  listBrokenLinks,
  listDocuments,
  listGuides,
  listTables,
  ROOT,
  readDocument,
  readUsage,
  requireTable,
} from "./docs-tables.ts";
import { URL_VARIABLES } from "./services/found-service.ts";
import { makeKey, makeOrg, startTestServer } from "./test-server.ts";

const documents = [...listDocuments(), ...listGuides()];
const integrating = readDocument("docs/integrating.md");
const operating = readDocument("docs/operating.md");
const importing = readDocument("docs/import-and-export.md");

describe("the API", () => {
  test("every table of error codes has all codes with their statuses, and no other", () => {
    const tables = listTables(documents, "Code", "Status");
    expect(tables.map(({ path }) => path)).toContain("docs/integrating.md");
    for (const { path, rows } of tables) {
      const documented = rows.map((row) => [codeOf(row.Code)[0], Number(row.Status)]);
      expect(documented.toSorted(), path).toEqual(ERROR_CODES.map((code) => [code, ERROR_STATUS[code]]).toSorted());
    }
  });

  test("the table of endpoints is the list of endpoints", () => {
    const documented = requireTable(integrating, "Method", "Path", "Permission").map((row) =>
      [row.Method, ...codeOf(row.Path), row.Permission?.replaceAll("`", "")].join(" "),
    );
    const known = ENDPOINTS.map(({ method, path, permission }) => `${method} ${path} ${permission}`);
    expect(documented).toEqual(known);
  });

  test("the table of query parameters has each parameter of each list, and no other", () => {
    const documented = documentedParameters().map(({ path, name }) => `${path} ${name}`);
    const known = lists().flatMap(({ path, query }) => Object.keys(query).map((name) => `${path} ${name}`));
    expect(documented.toSorted()).toEqual(known.toSorted());
  });

  test("the values shown for a query parameter are those it takes", () => {
    for (const { path, name, takes } of documentedParameters()) {
      const parameter = (lists().find((list) => list.path === path)?.query as ParameterTable | undefined)?.[name];
      const shown = codeOf(takes).filter((value) => /^[A-Za-z]\w*$/.test(value));
      for (const value of shown) expect(parameter?.parse(value), `${path} ${name}`).not.toBeInstanceOf(ParameterFault);
      // A filter's pattern names every value of a fixed list; a role is one of too many to repeat.
      const fixed = /^\^\(\?:([\w|]+)\)/.exec(String(parameter?.schema.pattern))?.[1]?.split("|");
      if (fixed !== undefined) expect(shown.toSorted(), `${path} ${name}`).toEqual(fixed.toSorted());
    }
  });

  test("the table of bodies has every field that can be written, and which are required", () => {
    const documented = requireTable(integrating, "Endpoint", "Required").map((row) => {
      const optional = Object.entries(row).find(([heading]) => heading.startsWith("Optional"))?.[1];
      return [row.Endpoint?.replaceAll("`", ""), codeOf(row.Required), codeOf(optional)];
    });
    const known = ENDPOINTS.filter((endpoint) => endpoint.method === "POST").map(({ path, body }) => {
      const required: readonly string[] = body.required;
      const optional = Object.keys(body.fields.shape).filter((name) => !required.includes(name));
      return [`POST ${path}`, required, optional];
    });
    expect(documented).toEqual(known);
  });

  test("every table of roles, permissions and tiers is the code's", () => {
    const roles = listTables(documents, "Game", "Roles").map(({ rows }) => rows.map((row) => [row.Game, row.Roles]));
    const permissions = listTables(documents, "Permission", "Lets a key").map(({ rows }) =>
      rows.map((row) => [codeOf(row.Permission)[0], row["Lets a key"]]),
    );
    const tiers = listTables(documents, "Tier", "Requests per minute").map(({ rows }) => rows.map(Object.values));
    const number = new Intl.NumberFormat("en");
    for (const table of roles) expect(table).toEqual(GAMES.map((game) => [game, ROLES_BY_GAME[game].join(", ")]));
    for (const table of permissions) expect(table).toEqual(PERMISSIONS.map((one) => [one, PERMISSION_GRANTS[one]]));
    for (const table of tiers) {
      const known = TIER_NAMES.map((tier) => [
        tier,
        number.format(TIERS[tier].perMinute),
        number.format(TIERS[tier].perDay),
      ]);
      expect(table).toEqual(known);
    }
    expect([roles, permissions, tiers].every((tables) => tables.length > 0)).toBe(true);
  });

  test("the JavaScript of the guide does what the guide says", async () => {
    const server = await startTestServer();
    try {
      const { key } = await makeKey(server, await makeOrg(server));
      const client = clientOfGuide();
      const use = `
        const made = await callLineup("POST", "/players", { ign: "Vex", role: "Player" });
        const refused = await callLineup("POST", "/players", { ign: "Vex", role: "Mid" }).catch((error) => error.message);
        console.log(JSON.stringify({ made: made.data.ign, refused }));`;
      const env = { ...process.env, BASE: server.baseUrl, KEY: key };
      const args = ["--input-type=module", "-e", client + use];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(JSON.parse(stdout)).toEqual({
        made: "Vex",
        refused: expect.stringMatching(/^INVALID_ROLE: .*\(req_\w+\)$/),
      });
    } finally {
      await server.stop();
    }
  });

  test("the mirror of the guide follows what is written", async () => {
    const server = await startTestServer();
    try {
      const orgId = await makeOrg(server);
      const { key } = await makeKey(server, orgId);
      const mirror = blocksOf(integrating.text, "js").find((block) => block.includes("function startMirror")) ?? "";
      const use = `
        const make = (ign) => callLineup("POST", "/players", { ign, role: "Player" });
        const { data: vex } = await make("Vex");
        const mirror = await startMirror();
        await make("Nyx");
        await callLineup("PATCH", "/players/" + vex.id, { ign: "Vexx" });
        await callLineup("POST", "/prospects", { ign: "Kai" });
        const names = (kind) => [...mirror[kind].values()].map(({ ign }) => ign);
        const before = [names("player"), names("prospect")];
        await followChanges(mirror);
        console.log(JSON.stringify([before, [names("player"), names("prospect")]]));`;
      const env = { ...process.env, BASE: server.baseUrl, KEY: key };
      const args = ["--input-type=module", "-e", clientOfGuide() + mirror + use];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(JSON.parse(stdout)).toEqual([
        [["Vex"], []],
        [["Vexx", "Nyx"], ["Kai"]],
      ]);
    } finally {
      await server.stop();
    }
  });
});

function clientOfGuide(): string {
  const found = blocksOf(integrating.text, "js").find((block) => block.includes("function callLineup"));
  if (found === undefined) throw new Error("The guide has no callLineup.");
  return found;
}

describe("a webhook as the guide verifies it", () => {
  test("is believed where we have signed it, and nowhere else", async () => {
    const code = blocksOf(integrating.text, "js").find((block) => block.includes("function verifyWebhook")) ?? "";
    const secret = makeWebhookSecret();
    const message = { id: "change_1", timestamp: Math.floor(Date.now() / 1_000), body: '{"type":"webhook.ping"}' };
    const headersOf = (signature: string, timestamp = message.timestamp) => ({
      "webhook-id": message.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature,
    });
    const rotating = signMessage([makeWebhookSecret(), secret], message);
    const old = { ...message, timestamp: message.timestamp - 3_600 };
    const tries = [
      [headersOf(signMessage([secret], message)), message.body],
      [headersOf(rotating), message.body],
      [headersOf(signMessage([secret], message)), `${message.body} `],
      [headersOf(signMessage([makeWebhookSecret()], message)), message.body],
      [headersOf(signMessage([secret], old), old.timestamp), message.body],
      [{}, message.body],
    ];
    const use = `
      const believed = JSON.parse(process.env.TRIES).map(([headers, body]) => {
        try { return verifyWebhook(process.env.SECRET, headers, body).type; } catch { return null; }
      });
      console.log(JSON.stringify(believed));`;
    const env = { ...process.env, TRIES: JSON.stringify(tries), SECRET: secret };
    const args = ["--input-type=module", "-e", code + use];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(JSON.parse(stdout)).toEqual(["webhook.ping", "webhook.ping", null, null, null, null]);
  });
});

/** What an integrator's own program reads. */
const CLIENT_VARIABLES = ["LINEUP_KEY", "LINEUP_URL", "LINEUP_WEBHOOK_SECRET"];

describe("operation", () => {
  test("the table of settings has every setting with its default, and no other", () => {
    const documented = requireTable(operating, "Variable", "Default").map((row) => [
      codeOf(row.Variable)[0],
      row.Default === "none" ? undefined : codeOf(row.Default)[0],
    ]);
    expect(documented).toEqual(SETTINGS.map((setting) => [setting.name, setting.default]));
  });

  test("no document names a setting that does not exist", () => {
    const settings = SETTINGS.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
    const known = [...settings, ...Object.values<string>(URL_VARIABLES), ...CLIENT_VARIABLES];
    for (const { path, text } of documents) {
      const named = [...text.matchAll(/LINEUP_[A-Z][A-Z_]*/g)].map(([name]) => name);
      expect(
        named.filter((name) => !known.includes(name)),
        path,
      ).toEqual([]);
    }
  });

  test("the table of commands has every command with its options and arguments, and no other", async () => {
    const documented = requireTable(operating, "Command", "What it does").map((row) =>
      readUsage(codeOf(row.Command)[0] ?? ""),
    );
    const known = (await commands()).map((command) => ({
      path: command.path,
      flags: command.options.map(flagOf).filter((flag) => flag !== "--json"),
      words: command.arguments,
    }));
    const sorted = (list: typeof known) => list.map((one) => ({ ...one, flags: one.flags.toSorted() }));
    expect(sorted(documented)).toEqual(sorted(known));
  });

  test("every command line in a document is one the program has", async () => {
    const known = await commands();
    for (const { path, text } of documents) {
      for (const [line] of text.matchAll(
        /\blineup (?:serve|migrate|import|export|backup|restore|move|org|key|webhook|user|audit)\b[^`\n#|]*/g,
      )) {
        const command = known.find((one) => line === `lineup ${one.path}` || line.startsWith(`lineup ${one.path} `));
        const group = known.some((one) =>
          one.path.startsWith(`${line.slice("lineup ".length).trim().split(/[ ,]/)[0]} `),
        );
        if (command === undefined) expect(group, `${path}: ${line}`).toBe(true);
        const flags = [...line.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
        const allowed = [...(command?.options.map(flagOf) ?? []), "--help", "--json"];
        expect(
          flags.filter((flag) => !allowed.includes(flag)),
          `${path}: ${line}`,
        ).toEqual([]);
      }
    }
  });

  test("every npm script that a document names exists", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
    const named = documents.flatMap(({ text }) => [...text.matchAll(/npm (?:run ([a-z:-]+)|(start|test))\b/g)]);
    for (const [, script, short] of named) expect(Object.keys(scripts)).toContain(script ?? short);
  });

  test("the table of import files has every column, and which are required", () => {
    const documented = requireTable(importing, "File", "Required for a new row").map((row) => ({
      file: codeOf(row.File)[0],
      required: codeOf(row["Required for a new row"]).toSorted(),
      optional: codeOf(row.Optional).toSorted(),
    }));
    const known = TABLE_NAMES.map((name) => {
      const columnsWith = (isRequired: boolean) =>
        TABLES[name].columns.filter(({ required }) => required === isRequired).map((column) => column.name);
      return { file: `${name}.csv`, required: columnsWith(true).toSorted(), optional: columnsWith(false).toSorted() };
    });
    expect(documented).toEqual(known);
  });

  test("the table of metrics has every metric of Lineup's own, and no other", async () => {
    const counts = {
      outages: 0,
      losses: 0,
      decidedAlone: 0,
      givenBack: 0,
      doubtful: 0,
      unreadable: 0,
    };
    const ofRedis = redisNumbers({ isDegraded: false, nodes: 1, counts });
    const ofLog = requestLogNumbers({ recorded: 0, dropped: 0, faults: 0 });
    const use = () => ({ entries: 0, hits: 0, misses: 0 });
    const ofMemory = [...memoryNumbers("key", "Keys", use), ...memoryNumbers("revision", "Revisions", use)];
    const ofWebhooks = webhookNumbers({ delivered: 0, refused: 0, backlog: 0 });
    const numbers = [listeningNumber(() => true), ...ofMemory, ...ofLog, ...ofRedis, ...ofWebhooks];
    const text = await new Metrics(new AnswerCache(), numbers).text();
    const known = [...text.matchAll(/^# TYPE (lineup_\w+)/gm)].map(([, name]) => name);
    expect(requireTable(operating, "Metric").flatMap((row) => codeOf(row.Metric))).toEqual(known);
  });
});

describe("the documents themselves", () => {
  test("no link leads nowhere", () => {
    const broken = listDocuments().flatMap((document) =>
      listBrokenLinks(document).map((link) => `${document.path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test("a package's file is named with the version that makes it, and the SDK's with who can make it", () => {
    const { version } = JSON.parse(readDocument("package.json").text) as { version: string };
    const uses = readDocument("dashboard/src/compliance/key-uses.ts");
    const texts = [...documents, uses].filter(({ path }) => path !== "CHANGELOG.md");
    const named = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/lineup-(?:client|server)-(.+?)\.tgz/g)].map(([, of]) => `${path}: ${of}`),
    );
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((one) => !one.endsWith(`: ${version}`))).toEqual([]);
    // In the README it follows on a clone.
    const elsewhere = texts.filter(({ path, text }) => path !== "README.md" && text.includes("lineup-client-"));
    for (const { path, text } of [...elsewhere, integrating]) expect(text, path).toContain("he operator of the server");
  });

  test("the list of decisions has every decision, in order, under its own title", () => {
    const folder = join(ROOT, "docs/decisions");
    const files = readdirSync(folder)
      .filter((file) => /^\d{4}-/.test(file))
      .toSorted();
    const listed = requireTable(readDocument("docs/decisions/README.md"), "Decision").map(({ Decision: cell = "" }) => {
      const [, title, file] = /^\[(.+)\]\((.+)\)$/.exec(cell) ?? [];
      return { title, file };
    });
    const known = files.map((file) => {
      const title = /^# \d{4} (.+)$/m.exec(readFileSync(join(folder, file), "utf8"))?.[1];
      return { title, file };
    });
    expect(listed).toEqual(known);
  });
});

function lists() {
  return RECORD_LISTS;
}

function documentedParameters(): { path: string; name: string; takes: string }[] {
  return requireTable(integrating, "List", "Parameter", "Takes").flatMap(
    ({ List: list = "", Parameter, Takes: takes = "" }) => {
      const [name = ""] = codeOf(Parameter);
      const [path] = codeOf(list);
      const all = lists().map((one): string => one.path);
      const meant = list.startsWith("every list") ? all.filter((one) => one !== path) : [path ?? ""];
      return meant.map((one) => ({ path: one, name, takes }));
    },
  );
}

async function commands(): Promise<DescribedCommand[]> {
  return describeCommands(await buildProgram());
}

function flagOf({ flags }: { readonly flags: string }): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}
