/**
 * The settings, and the only reader of the environment. All of it is read and checked at once: a setting that is wrong
 * stops the program with every fault named, before anything is opened. A secret may stand in a file named by `…_FILE`;
 * no message ever repeats a secret's value.
 */
import { statSync } from "node:fs";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import { email, newPassword, PASSWORD_MAX, PASSWORD_MIN } from "@lineup/api/dashboard/account";
import { findNearestName } from "@lineup/api/nearest-name";
import { SettingReader } from "./setting-reader.ts";
import { LOG_LEVELS, type LogLevel, SETTINGS } from "./settings.ts";

export interface Config {
  readonly host: string;
  /** Whether only this machine can reach the host. */
  readonly isLoopback: boolean;
  /** 0 means any free port. */
  readonly port: number;
  /** How many processes serve. */
  readonly workers: WorkerCount;
  readonly dataDir: string;
  /** Undefined: the embedded store in the data folder. */
  readonly databaseUrl: string | undefined;
  /** Past a pooler, for what belongs to one connection; the same as the other where there is none. */
  readonly databaseDirectUrl: string | undefined;
  readonly databasePoolSize: number;
  /** Undefined: requests are counted in the process. */
  readonly redisUrl: string | undefined;
  readonly logLevel: LogLevel;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly metricsToken: string | undefined;
  readonly drainMs: number;
  /** Without a slash at its end. Undefined: where the request came to. */
  readonly publicUrl: string | undefined;
  /** Undefined: the one in the data folder. */
  readonly secret: string | undefined;
  /** Who is to be the first owner. */
  readonly admin: { readonly email: string; readonly password: string } | undefined;
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined;
  /** 0: requests are not kept. */
  readonly requestLogDays: number;
  /** For how long those who follow the change feed may stay away. */
  readonly changesDays: number;
  /** Addresses and CIDR ranges that webhooks may be sent to, beside public ones. */
  readonly webhookAllow: readonly string[];
  /** Whether npm started this process, which then must not outlive it. */
  readonly isRunByNpm: boolean;
  /** What is odd but no reason to stop, in words for the operator. */
  readonly warnings: readonly string[];
}

const POOL_SIZE_MAX = 500;
const DRAIN_MAX_MS = 600_000;
const METRICS_TOKEN_MIN = 16;
const SECRET_MIN = 32;
const HEX_SECRET_MIN = 64;
const REQUEST_LOG_MAX_DAYS = 400;
const CHANGES_MAX_DAYS = 3_650;
const DEFAULTS = new Map(SETTINGS.map((setting) => [setting.name, setting.default ?? ""]));

export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      faults.length === 1 ? faults[0] : `Several settings are wrong:\n${faults.map((one) => `- ${one}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.faults = faults;
  }
}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const reading = new SettingReader(env, DEFAULTS);
  warnOfUnknownNames(reading);
  const host = readHost(reading);
  const tls = readTls(reading);
  const trustedProxies = readTrustedProxies(reading);
  const isLoopback = isLoopbackHost(host);
  const publicUrl = readPublicUrl(reading);
  if (!isLoopback && tls === undefined && trustedProxies.length === 0 && !reading.hasFaultOf("LINEUP_T")) {
    reading.faults.push(
      `LINEUP_HOST is ${host}, which other machines can reach, and plain HTTP is served on loopback only. Set LINEUP_TLS_CERT ` +
        "and LINEUP_TLS_KEY to serve HTTPS, or LINEUP_TRUST_PROXY to the address of the proxy that does, or LINEUP_HOST to 127.0.0.1.",
    );
  }
  const config: Config = {
    host,
    isLoopback,
    port: readPort(reading),
    workers: readWorkers(reading),
    dataDir: readDataDir(reading),
    ...readServers(reading),
    databasePoolSize: reading.readInteger("LINEUP_DATABASE_POOL", 1, POOL_SIZE_MAX),
    logLevel: readLogLevel(reading),
    tls,
    trustedProxies,
    metricsToken: readMetricsToken(reading),
    drainMs: reading.readInteger("LINEUP_DRAIN_MS", 0, DRAIN_MAX_MS),
    publicUrl,
    secret: readSecret(reading),
    admin: readAdmin(reading),
    mail: readMail(reading, publicUrl),
    webhookAllow: readRanges(reading, "LINEUP_WEBHOOK_ALLOW"),
    requestLogDays: reading.readInteger("LINEUP_REQUEST_LOG_DAYS", 0, REQUEST_LOG_MAX_DAYS),
    changesDays: reading.readInteger("LINEUP_CHANGES_DAYS", 1, CHANGES_MAX_DAYS),
    isRunByNpm: env.npm_execpath !== undefined || env.npm_lifecycle_event !== undefined,
    warnings: reading.warnings,
  };
  if (reading.faults.length > 0) throw new ConfigError(reading.faults);
  return config;
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
const CLIENT_NAMES: readonly string[] = ["LINEUP_KEY", "LINEUP_URL"];

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
const REDIS_URL = /^rediss?:\/\/./;

/** Only the form is looked at here, and never repeated: whether anybody answers there is seen when it is opened. */
function readServers(reading: SettingReader): Pick<Config, "databaseUrl" | "databaseDirectUrl" | "redisUrl"> {
  const databaseUrl = readUrl(
    reading,
    "LINEUP_DATABASE_URL",
    POSTGRES_URL,
    "postgres://user:password@host:5432/database",
  );
  const databaseDirectUrl = readUrl(
    reading,
    "LINEUP_DATABASE_DIRECT_URL",
    POSTGRES_URL,
    "postgres://user:password@host:5432/database",
  );
  if (databaseDirectUrl !== undefined && databaseUrl === undefined && !reading.hasFaultOf("LINEUP_DATABASE_URL")) {
    reading.faults.push(
      "LINEUP_DATABASE_DIRECT_URL is set, but LINEUP_DATABASE_URL is not. Set that one; the other is only for a database behind a pooler.",
    );
  }
  return {
    databaseUrl,
    databaseDirectUrl,
    redisUrl: readUrl(reading, "LINEUP_REDIS_URL", REDIS_URL, "redis://host:6379"),
  };
}

function readUrl(reading: SettingReader, name: string, form: RegExp, example: string): string | undefined {
  const url = reading.findSecret(name);
  if (url === undefined) return undefined;
  if (form.test(url) && URL.canParse(url) && isUnambiguous(url)) return url;
  reading.faults.push(
    `${name} is not an address that can be read. Give it as ${example}, ` +
      "with what is no letter or digit in a user or password percent-encoded (@ as %40, / as %2F, : as %3A).",
  );
  return undefined;
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
    reading.faults.push(`LINEUP_HOST must be an IP address or a host name without a port, not "${host}".`);
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
  if (count === undefined) reading.faults.push(`LINEUP_WORKERS ${explainWorkers(text)}`);
  return count ?? 1;
}

/** How many processes serve; `auto` is one a core where several can serve one store. */
export type WorkerCount = number | "auto";
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
    reading.faults.push(`LINEUP_DATA_DIR is ${folder}, which is a file. Name a folder; it is made if it is not there.`);
  }
  return folder;
}

function readLogLevel(reading: SettingReader): LogLevel {
  const text = reading.read("LINEUP_LOG_LEVEL");
  const level = LOG_LEVELS.find((one) => one === text.toLowerCase());
  if (level !== undefined) return level;
  reading.faults.push(`LINEUP_LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, not "${text}".`);
  return "info";
}

function readTls(reading: SettingReader): Config["tls"] {
  const certFile = reading.findReadableFile("LINEUP_TLS_CERT");
  const keyFile = reading.findReadableFile("LINEUP_TLS_KEY");
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  const [given, missing] =
    certFile === undefined ? ["LINEUP_TLS_KEY", "LINEUP_TLS_CERT"] : ["LINEUP_TLS_CERT", "LINEUP_TLS_KEY"];
  if (!reading.hasFaultOf(missing)) {
    reading.faults.push(`${missing} is missing, while ${given} is set. Set both to serve HTTPS, or neither.`);
  }
  return undefined;
}

function readTrustedProxies(reading: SettingReader): string[] {
  const proxies = readRanges(reading, "LINEUP_TRUST_PROXY");
  for (const proxy of proxies.filter((one) => one.endsWith("/0"))) {
    reading.warnings.push(
      `LINEUP_TRUST_PROXY holds ${proxy}: any client may then claim any address and HTTPS. Name the proxy's own addresses.`,
    );
  }
  return proxies;
}

function readRanges(reading: SettingReader, name: string): string[] {
  const ranges = (reading.find(name) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  for (const range of ranges.filter((one) => !isAddressOrRange(one))) {
    reading.faults.push(
      `${name} holds "${range}"; allowed are IP addresses and CIDR ranges such as 10.0.0.0/8, separated by commas.`,
    );
  }
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
  if (token === undefined) return undefined;
  if (token.length < METRICS_TOKEN_MIN || !/^[\x21-\x7e]+$/.test(token)) {
    reading.faults.push(
      `LINEUP_METRICS_TOKEN must have at least ${METRICS_TOKEN_MIN} characters, all of them visible ASCII without spaces.`,
    );
    return undefined;
  }
  return token;
}

function readPublicUrl(reading: SettingReader): string | undefined {
  const text = reading.find("LINEUP_PUBLIC_URL");
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWebAddress = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (
    url !== undefined &&
    isWebAddress &&
    url.pathname === "/" &&
    url.search === "" &&
    url.hash === "" &&
    url.username === ""
  ) {
    return url.origin;
  }
  reading.faults.push(
    "LINEUP_PUBLIC_URL must be an address such as https://lineup.example.com, without a path (http:// for this machine alone).",
  );
  return undefined;
}

function readSecret(reading: SettingReader): string | undefined {
  const secret = reading.findSecret("LINEUP_SECRET");
  if (secret === undefined) return undefined;
  // Half of what the command below makes would pass for a whole one, were it not all digits.
  const min = /^[0-9a-f]*$/i.test(secret) ? HEX_SECRET_MIN : SECRET_MIN;
  if (secret.length >= min) return secret;
  reading.faults.push(
    `LINEUP_SECRET must have at least ${SECRET_MIN} characters, and ${HEX_SECRET_MIN} where all are hexadecimal digits. ` +
      "Make one with: node -p \"crypto.randomBytes(32).toString('hex')\"",
  );
  return undefined;
}

function readAdmin(reading: SettingReader): Config["admin"] {
  const given = reading.find("LINEUP_ADMIN_EMAIL");
  const password = reading.findSecret("LINEUP_ADMIN_PASSWORD");
  if (given === undefined && password === undefined) return undefined;
  const parsed = email.safeParse(given ?? "");
  if (given !== undefined && !parsed.success) {
    reading.faults.push(`LINEUP_ADMIN_EMAIL must be an email address, not "${given}".`);
  }
  if (password !== undefined && !newPassword.safeParse(password).success) {
    reading.faults.push(`LINEUP_ADMIN_PASSWORD must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
  }
  if ((given === undefined || password === undefined) && !reading.hasFaultOf("LINEUP_ADMIN")) {
    reading.faults.push(
      given === undefined
        ? "LINEUP_ADMIN_PASSWORD is set, but LINEUP_ADMIN_EMAIL is not. Set both, or neither."
        : "LINEUP_ADMIN_EMAIL is set, but LINEUP_ADMIN_PASSWORD (or LINEUP_ADMIN_PASSWORD_FILE) is not. Set both, or neither.",
    );
  }
  return parsed.success && password !== undefined ? { email: parsed.data, password } : undefined;
}

const SMTP_URL = /^smtps?:\/\/./;

function readMail(reading: SettingReader, publicUrl: string | undefined): Config["mail"] {
  const smtpUrl = readUrl(reading, "LINEUP_SMTP_URL", SMTP_URL, "smtp://user:password@host:587");
  const from = reading.find("LINEUP_MAIL_FROM");
  if (smtpUrl === undefined) {
    if (from !== undefined && !reading.hasFaultOf("LINEUP_SMTP_URL")) {
      reading.faults.push("LINEUP_MAIL_FROM is set, but LINEUP_SMTP_URL is not. Set both, or neither.");
    }
    return undefined;
  }
  // What a request says of where it came to can be made up, and a link in mail must lead nowhere else.
  if (publicUrl === undefined && !reading.hasFaultOf("LINEUP_PUBLIC_URL")) {
    reading.faults.push(
      "LINEUP_SMTP_URL is set, but LINEUP_PUBLIC_URL is not. Set it to the address of the dashboard, which links in mail begin with.",
    );
  }
  if (from !== undefined && email.safeParse(from).success) return { smtpUrl, from };
  reading.faults.push(
    "LINEUP_MAIL_FROM must be the email address that mail is sent from; it is needed with LINEUP_SMTP_URL.",
  );
  return undefined;
}
