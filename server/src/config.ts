/**
 * The settings, and the only reader of the environment. All of it is read and checked at once: a setting that is wrong
 * stops the program with every fault named, before anything is opened. A secret may stand in a file named by `…_FILE`;
 * no message ever repeats a secret's value.
 */
import { statSync } from "node:fs";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { email, newPassword, PASSWORD_MAX, PASSWORD_MIN } from "@lineup/api/dashboard/account";
import { findNearestName } from "@lineup/api/nearest-name";
import { SettingReader } from "./setting-reader.ts";
import { LOG_LEVELS, type LogLevel, SETTINGS } from "./settings.ts";

const POOL_SIZE_MAX = 500;
const DRAIN_MAX_MS = 600_000;
const METRICS_TOKEN_MIN = 16;
const SECRET_MIN = 32;
const HEX_SECRET_MIN = 64;
const REQUEST_LOG_MAX_DAYS = 400;
const CHANGES_MAX_DAYS = 3_650;

export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const [only, ...more] = faults;
    super(more.length === 0 ? only : `Several settings are wrong:\n${faults.map((one) => `- ${one}`).join("\n")}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}

export type Config = ReturnType<typeof readConfig>;

export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const reading = new SettingReader(env);
  warnOfUnknownNames(reading);
  const host = readHost(reading);
  const tls = readTls(reading);
  const trustedProxies = readRanges(reading, "LINEUP_TRUST_PROXY");
  const isLoopback = isLoopbackHost(host);
  const publicUrl = readPublicUrl(reading);
  if (!isLoopback && tls === undefined && trustedProxies.length === 0 && !reading.hasFaultOf("LINEUP_T")) {
    reading.refuse(
      `LINEUP_HOST is ${host}, which other machines can reach, and plain HTTP is served on loopback only. Set LINEUP_TLS_CERT ` +
        "and LINEUP_TLS_KEY to serve HTTPS, or LINEUP_TRUST_PROXY to the address of the proxy that does, or LINEUP_HOST to 127.0.0.1.",
    );
  }
  const config = {
    host,
    /** Whether only this machine can reach the host. */
    isLoopback,
    /** 0 means any free port. */
    port: readPort(reading),
    /** How many processes serve. */
    workers: readWorkers(reading),
    dataDir: readDataDir(reading),
    ...readServers(reading),
    databasePoolSize: reading.readInteger("LINEUP_DATABASE_POOL", 1, POOL_SIZE_MAX),
    logLevel: readLogLevel(reading),
    tls,
    /** Addresses and CIDR ranges. */
    trustedProxies,
    metricsToken: readMetricsToken(reading),
    drainMs: reading.readInteger("LINEUP_DRAIN_MS", 0, DRAIN_MAX_MS),
    /** Without a slash at its end. Undefined: where the request came to. */
    publicUrl,
    /** Undefined: the one in the data folder. */
    secret: readSecret(reading),
    /** Who is to be the first owner. */
    admin: readAdmin(reading),
    mail: readMail(reading, publicUrl),
    /** Addresses and CIDR ranges that webhooks may be sent to, beside public ones. */
    webhookAllow: readRanges(reading, "LINEUP_WEBHOOK_ALLOW"),
    /** 0: requests are not kept. */
    requestLogDays: reading.readInteger("LINEUP_REQUEST_LOG_DAYS", 0, REQUEST_LOG_MAX_DAYS),
    /** For how long those who follow the change feed may stay away. */
    changesDays: reading.readInteger("LINEUP_CHANGES_DAYS", 1, CHANGES_MAX_DAYS),
    /** Whether npm started this process, which then must not outlive it. */
    isRunByNpm: env.npm_execpath !== undefined || env.npm_lifecycle_event !== undefined,
    /** What is odd but no reason to stop, in words for the operator. */
    warnings: reading.warnings,
  } as const;
  if (reading.faults.length > 0) throw new ConfigError(reading.faults);
  return config;
}

export interface UsableConfig {
  readonly config: Config;
  readonly faults: readonly string[];
  /** Settings that are wrong, and count as unset in `config`. */
  readonly unusable: ReadonlySet<string>;
  /** What must not be shown to anybody. */
  readonly secrets: readonly string[];
  /** Files that settings name as holding a secret. */
  readonly secretFiles: readonly string[];
}

/** As `readConfig`, for one who looks at all that there is though some settings are wrong. */
export function readUsableConfig(env: NodeJS.ProcessEnv = process.env): UsableConfig {
  const left = { ...env };
  const faults: string[] = [];
  const unusable = new Set<string>();
  for (;;) {
    try {
      const config = readConfig(left);
      const reading = new SettingReader(env);
      const names = SETTINGS.filter(({ secret }) => secret).map(({ name }) => name);
      const secretFiles = names.flatMap((name) => reading.find(`${name}_FILE`) ?? []);
      return { config, faults, unusable, secrets: listSecrets(reading, names), secretFiles };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // What follows from a setting that was taken out is no fault of its own.
      if (faults.length === 0) faults.push(...error.faults);
      const names = error.faults.flatMap((fault) => blamedBy(fault, left));
      const given = names.flatMap((name) => [name, `${name}_FILE`]).filter((name) => left[name] !== undefined);
      if (given.length === 0) throw error;
      for (const name of names) unusable.add(name);
      for (const name of given) delete left[name];
    }
  }
}

/** A fault begins with the setting that is wrong. Where that one is missing, it is another that asks for it. */
function blamedBy(fault: string, env: NodeJS.ProcessEnv): readonly string[] {
  const named = fault.match(/^PORT\b|\bLINEUP_\w+/g) ?? [];
  const [first, ...others] = named.map((name) => name.replace(/_FILE$/, ""));
  const isGiven = (name: string) => env[name] !== undefined || env[`${name}_FILE`] !== undefined;
  if (first === undefined) return [];
  return isGiven(first) ? [first] : [first, ...others.filter(isGiven)];
}

function listSecrets(reading: SettingReader, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = reading.findSecret(name) ?? reading.find(name);
    if (value === undefined) return [];
    const password = URL.canParse(value) ? new URL(value).password : "";
    if (password === "") return [value];
    return /%(?![0-9a-f]{2})/i.test(password) ? [value, password] : [value, password, decodeURIComponent(password)];
  });
}

/** Where the data is, in words for the operator; of an address, only what is no secret. */
export function describeStore({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">): string {
  if (databaseUrl === undefined) return dataDir;
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${hostname || "localhost"}:${port || 5432}, database ${pathname.slice(1)}`;
}

/** A name that resolves to loopback by convention counts too; any other name may lead anywhere. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  if (isIPv4(host)) return LOOPBACK.check(host, "ipv4");
  return isIPv6(host) && LOOPBACK.check(host, "ipv6");
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** What the examples of the reference call a key and an address: names of a client, which may share this shell. */
const CLIENT_NAMES: readonly string[] = ["LINEUP_KEY", "LINEUP_URL", "LINEUP_WEBHOOK_SECRET"];

function warnOfUnknownNames(reading: SettingReader): void {
  const known = SETTINGS.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
  const byBareName = new Map(known.map((name) => [name.replaceAll("_", ""), name]));
  for (const name of Object.keys(reading.env)) {
    if (!name.startsWith("LINEUP_") || known.includes(name) || CLIENT_NAMES.includes(name)) continue;
    const nearest = byBareName.get(findNearestName(name, [...byBareName.keys()]) ?? "");
    const hint = nearest === undefined ? 'See "lineup serve --help" for those there are.' : `Did you mean ${nearest}?`;
    reading.warnings.push(`${name} is not a setting of this version and is ignored. ${hint}`);
  }
}

const POSTGRES_URL = /^postgres(ql)?:\/\/./;
const POSTGRES_EXAMPLE = "postgres://user:password@host:5432/database";
const REDIS_URL = /^rediss?:\/\/./;

/** Only the form is looked at here, and never repeated: whether anybody answers there is seen when it is opened. */
function readServers(reading: SettingReader) {
  const databaseUrl = readUrl(reading, "LINEUP_DATABASE_URL", POSTGRES_URL, POSTGRES_EXAMPLE);
  const databaseDirectUrl = readUrl(reading, "LINEUP_DATABASE_DIRECT_URL", POSTGRES_URL, POSTGRES_EXAMPLE);
  if (databaseDirectUrl !== undefined && databaseUrl === undefined && !reading.hasFaultOf("LINEUP_DATABASE_URL")) {
    reading.refuse(
      "LINEUP_DATABASE_DIRECT_URL is set, but LINEUP_DATABASE_URL is not. Set that one; the other is only for a database behind a pooler.",
    );
  }
  const redisUrl = readUrl(reading, "LINEUP_REDIS_URL", REDIS_URL, "redis://host:6379");
  return {
    /** Undefined: the embedded store in the data folder. */
    databaseUrl,
    /** Past a pooler, for what belongs to one connection; the same as the other where there is none. */
    databaseDirectUrl,
    /** Undefined: requests are counted in the process. */
    redisUrl,
  };
}

function readUrl(reading: SettingReader, name: string, form: RegExp, example: string): string | undefined {
  const url = reading.findSecret(name);
  if (url === undefined) return undefined;
  if (form.test(url) && URL.canParse(url) && isUnambiguous(url)) return url;
  return reading.refuse(
    `${name} is not an address that can be read. Give it as ${example}, ` +
      "with what is no letter or digit in a user or password percent-encoded (@ as %40, / as %2F, : as %3A).",
  );
}

/** A password with an @ or a / in it would be taken apart, and a piece of it for a host, which messages name. */
function isUnambiguous(url: string): boolean {
  const [, authority = "", rest = ""] = /^[a-z]+:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (authority.split("@").length > 2 || rest.split("?", 1)[0]?.includes("@")) return false;
  try {
    decodeURIComponent(authority);
    return true;
  } catch {
    return false;
  }
}

function readHost(reading: SettingReader): string {
  const host = reading.read("LINEUP_HOST").replace(/^\[(.+)\]$/, "$1");
  // A dotted number that is no address, such as 127.0.0.256, would otherwise pass for a name.
  const isName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(host);
  if (isIP(host) === 0 && (!isName || /^[\d.]+$/.test(host))) {
    reading.refuse(`LINEUP_HOST must be an IP address or a host name without a port, not "${host}".`);
    return "127.0.0.1";
  }
  return host;
}

function readPort(reading: SettingReader): number {
  const name = reading.find("LINEUP_PORT") === undefined && reading.find("PORT") !== undefined ? "PORT" : "LINEUP_PORT";
  return reading.readInteger(name, 0, 65_535);
}

function readWorkers(reading: SettingReader): WorkerCount {
  const text = reading.read("LINEUP_WORKERS");
  const count = parseWorkers(text);
  if (count === undefined) reading.refuse(`LINEUP_WORKERS ${explainWorkers(text)}`);
  return count ?? 1;
}

/** How many processes serve; `auto` is one a core where several can serve one store. */
export type WorkerCount = number | "auto";

/** On the embedded store `auto` is one: those of one server have nothing in common but PostgreSQL and Redis. */
export function countWorkers(asked: WorkerCount, config: Config): number {
  if (asked !== "auto") return asked;
  return listMissingForWorkers(config).length === 0 ? availableParallelism() : 1;
}

/** Without which several processes cannot serve one store; in the order in which they are to be set. */
export function listMissingForWorkers({ databaseUrl, redisUrl }: Config): string[] {
  const needed = { LINEUP_DATABASE_URL: databaseUrl, LINEUP_REDIS_URL: redisUrl };
  return Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
}

const WORKERS_MAX = 64;

/** Undefined where the text says neither. */
export function parseWorkers(text: string): WorkerCount | undefined {
  if (text.toLowerCase() === "auto") return "auto";
  const count = Number(text);
  return /^\d{1,3}$/.test(text) && count >= 1 && count <= WORKERS_MAX ? count : undefined;
}

export function explainWorkers(text: string): string {
  return `must be a whole number from 1 to ${WORKERS_MAX}, or auto for one a core, not "${text}".`;
}

function readDataDir(reading: SettingReader): string {
  const folder = resolve(reading.read("LINEUP_DATA_DIR"));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    reading.refuse(`LINEUP_DATA_DIR is ${folder}, which is a file. Name a folder; it is made if it is not there.`);
  }
  return folder;
}

function readLogLevel(reading: SettingReader): LogLevel {
  const text = reading.read("LINEUP_LOG_LEVEL");
  const level = LOG_LEVELS.find((one) => one === text.toLowerCase());
  if (level === undefined) reading.refuse(`LINEUP_LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, not "${text}".`);
  return level ?? "info";
}

function readTls(reading: SettingReader): { readonly certFile: string; readonly keyFile: string } | undefined {
  const certFile = reading.findReadableFile("LINEUP_TLS_CERT");
  const keyFile = reading.findReadableFile("LINEUP_TLS_KEY");
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  const [given, missing] =
    certFile === undefined ? ["LINEUP_TLS_KEY", "LINEUP_TLS_CERT"] : ["LINEUP_TLS_CERT", "LINEUP_TLS_KEY"];
  if (reading.hasFaultOf(missing)) return undefined;
  return reading.refuse(`${missing} is missing, while ${given} is set. Set both to serve HTTPS, or neither.`);
}

const OF_ALL_ADDRESSES = {
  LINEUP_TRUST_PROXY: "any client may then claim any address and HTTPS. Name the proxy's own addresses.",
  LINEUP_WEBHOOK_ALLOW:
    "who makes webhooks may then send to everything that this machine reaches. Name just the range of your own endpoints.",
};

function readRanges(reading: SettingReader, name: keyof typeof OF_ALL_ADDRESSES): readonly string[] {
  const ranges = (reading.find(name) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  for (const range of ranges.filter((one) => !isAddressOrRange(one))) {
    reading.refuse(
      `${name} holds "${range}"; allowed are IP addresses and CIDR ranges such as 10.0.0.0/8, separated by commas.`,
    );
  }
  for (const range of ranges.filter((one) => one.endsWith("/0")))
    reading.warnings.push(`${name} holds ${range}: ${OF_ALL_ADDRESSES[name]}`);
  return ranges;
}

function isAddressOrRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes("%")) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function readMetricsToken(reading: SettingReader): string | undefined {
  const token = reading.findSecret("LINEUP_METRICS_TOKEN");
  if (token === undefined || (token.length >= METRICS_TOKEN_MIN && /^[\x21-\x7e]+$/.test(token))) return token;
  return reading.refuse(
    `LINEUP_METRICS_TOKEN must have at least ${METRICS_TOKEN_MIN} characters, all of them visible ASCII without spaces.`,
  );
}

function readPublicUrl(reading: SettingReader): string | undefined {
  const text = reading.find("LINEUP_PUBLIC_URL");
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWebAddress = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (isWebAddress && `${url.pathname}${url.search}${url.hash}${url.username}` === "/") return url.origin;
  return reading.refuse(
    "LINEUP_PUBLIC_URL must be an address such as https://lineup.example.com, without a path (http:// for this machine alone).",
  );
}

function readSecret(reading: SettingReader): string | undefined {
  const secret = reading.findSecret("LINEUP_SECRET");
  if (secret === undefined) return undefined;
  // Half of what the command below makes would pass for a whole one, were it not all digits.
  const min = /^[0-9a-f]*$/i.test(secret) ? HEX_SECRET_MIN : SECRET_MIN;
  if (secret.length >= min) return secret;
  return reading.refuse(
    `LINEUP_SECRET must have at least ${SECRET_MIN} characters, and ${HEX_SECRET_MIN} where all are hexadecimal digits. ` +
      "Make one with: node -p \"crypto.randomBytes(32).toString('hex')\"",
  );
}

function readAdmin(reading: SettingReader): { readonly email: string; readonly password: string } | undefined {
  const given = reading.find("LINEUP_ADMIN_EMAIL");
  const password = reading.findSecret("LINEUP_ADMIN_PASSWORD");
  if (given === undefined && password === undefined) return undefined;
  const parsed = email.safeParse(given ?? "");
  if (given !== undefined && !parsed.success) {
    reading.refuse(`LINEUP_ADMIN_EMAIL must be an email address, not "${given}".`);
  }
  if (password !== undefined && !newPassword.safeParse(password).success) {
    reading.refuse(`LINEUP_ADMIN_PASSWORD must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
  }
  if ((given === undefined || password === undefined) && !reading.hasFaultOf("LINEUP_ADMIN")) {
    reading.refuse(
      given === undefined
        ? "LINEUP_ADMIN_PASSWORD is set, but LINEUP_ADMIN_EMAIL is not. Set both, or neither."
        : "LINEUP_ADMIN_EMAIL is set, but LINEUP_ADMIN_PASSWORD (or LINEUP_ADMIN_PASSWORD_FILE) is not. Set both, or neither.",
    );
  }
  return parsed.success && password !== undefined ? { email: parsed.data, password } : undefined;
}

const SMTP_URL = /^smtps?:\/\/./;

function readMail(
  reading: SettingReader,
  publicUrl: string | undefined,
): { readonly smtpUrl: string; readonly from: string } | undefined {
  const smtpUrl = readUrl(reading, "LINEUP_SMTP_URL", SMTP_URL, "smtp://user:password@host:587");
  const from = reading.find("LINEUP_MAIL_FROM");
  if (smtpUrl === undefined) {
    if (from === undefined || reading.hasFaultOf("LINEUP_SMTP_URL")) return undefined;
    return reading.refuse("LINEUP_MAIL_FROM is set, but LINEUP_SMTP_URL is not. Set both, or neither.");
  }
  // What a request says of where it came to can be made up, and a link in mail must lead nowhere else.
  if (publicUrl === undefined && !reading.hasFaultOf("LINEUP_PUBLIC_URL")) {
    reading.refuse(
      "LINEUP_SMTP_URL is set, but LINEUP_PUBLIC_URL is not. Set it to the address of the dashboard, which links in mail begin with.",
    );
  }
  if (from !== undefined && email.safeParse(from).success) return { smtpUrl, from };
  return reading.refuse(
    "LINEUP_MAIL_FROM must be the email address that mail is sent from; it is needed with LINEUP_SMTP_URL.",
  );
}
