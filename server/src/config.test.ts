import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigError, countWorkers, describeStore, isLoopbackHost, readConfig } from "./config.ts";
import { SETTINGS } from "./settings.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe("settings", () => {
  test("have defaults that serve on loopback alone", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      isLoopback: true,
      isRunByNpm: false,
      port: 3000,
      workers: 1,
      dataDir: resolve("data"),
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      databasePoolSize: 10,
      redisUrl: undefined,
      logLevel: "info",
      tls: undefined,
      trustedProxies: [],
      metricsToken: undefined,
      drainMs: 0,
      publicUrl: undefined,
      secret: undefined,
      admin: undefined,
      mail: undefined,
      requestLogDays: 7,
      changesDays: 30,
      webhookAllow: [],
      warnings: [],
    });
  });

  test("that are empty count as unset", () => {
    const env = Object.fromEntries(SETTINGS.map(({ name }) => [name, ""]));
    expect(readConfig({ ...env, PORT: "" })).toEqual(readConfig({}));
  });

  test("honour PORT unless LINEUP_PORT is set, and take port 0", () => {
    expect(readConfig({ PORT: "8080" }).port).toBe(8080);
    expect(readConfig({ PORT: "8080", LINEUP_PORT: "9090" }).port).toBe(9090);
    expect(readConfig({ LINEUP_PORT: "0" }).port).toBe(0);
    expect(faultsOf({ PORT: "http" })).toEqual([expect.stringMatching(/^PORT must be a whole number from 0 to 65535/)]);
  });

  test.each([
    ["LINEUP_HOST", "nobody@home", "IP address or a host name"],
    ["LINEUP_HOST", "127.0.0.256", "IP address or a host name"],
    ["LINEUP_HOST", "127.0.0.1:3000", "without a port"],
    ["LINEUP_PORT", "65536", "0 to 65535"],
    ["LINEUP_PORT", "3e3", "0 to 65535"],
    ["LINEUP_PORT", "-1", "0 to 65535"],
    ["LINEUP_LOG_LEVEL", "loud", "trace, debug, info, warn, error, fatal, silent"],
    ["LINEUP_TLS_CERT", "/nowhere/cert.pem", "no such file"],
    ["LINEUP_TRUST_PROXY", "10.0.0.0/33", "CIDR"],
    ["LINEUP_TRUST_PROXY", "10.0.0.1, loadbalancer", "loadbalancer"],
    ["LINEUP_METRICS_TOKEN", "short", "at least 16 characters"],
    ["LINEUP_METRICS_TOKEN_FILE", "/nowhere/token", "no such file"],
    ["LINEUP_METRICS_TOKEN_FILE", "/dev/zero", "(it is a device, not a file). Name a readable file."],
    ["LINEUP_DRAIN_MS", "600001", "0 to 600000"],
    ["LINEUP_DRAIN_MS", "1.5", "0 to 600000"],
    ["LINEUP_DATA_DIR", import.meta.filename, "is a file"],
  ])("refuses %s=%s with an error that names it", (name, value, allowed) => {
    const faults = faultsOf({ [name]: value });
    expect(faults[0]).toContain(name);
    expect(faults[0]).toContain(allowed);
  });

  test("are reported with all faults at once", () => {
    const env = { LINEUP_PORT: "x", LINEUP_LOG_LEVEL: "x", LINEUP_DRAIN_MS: "x", LINEUP_HOST: "0.0.0.0" };
    expect(faultsOf(env)).toHaveLength(4);
    expect(() => readConfig(env)).toThrow(/LINEUP_HOST.*\n.*LINEUP_PORT.*\n.*LINEUP_LOG_LEVEL.*\n.*LINEUP_DRAIN_MS/);
  });

  test("that are not known are warned of, with the nearest one", () => {
    expect(readConfig({ LINEUP_DATADIR: "/srv" }).warnings).toEqual([expect.stringContaining("LINEUP_DATA_DIR?")]);
    expect(readConfig({ LINEUP_HOTS: "::1" }).warnings).toEqual([expect.stringContaining("LINEUP_HOST?")]);
    expect(readConfig({ LINEUP_WEBHOOKS: "on" }).warnings).toEqual([expect.stringContaining("LINEUP_WEBHOOKS")]);
    expect(readConfig({ LINEUP_TRUST_PROXY: "0.0.0.0/0" }).warnings).toEqual([expect.stringContaining("0.0.0.0/0")]);
  });
});

describe("a host that other machines can reach", () => {
  test("is refused without a certificate or a trusted proxy, and told what to set", () => {
    for (const host of ["0.0.0.0", "::", "192.168.1.5", "api.example.com"]) {
      const [fault] = faultsOf({ LINEUP_HOST: host });
      expect(fault).toMatch(/^LINEUP_HOST .*LINEUP_TLS_CERT.*LINEUP_TLS_KEY.*LINEUP_TRUST_PROXY/);
    }
  });

  test("is taken with a trusted proxy, or with a certificate and its key", () => {
    const certFile = write("cert.pem", "certificate");
    const keyFile = write("key.pem", "key");
    const proxied = readConfig({ LINEUP_HOST: "0.0.0.0", LINEUP_TRUST_PROXY: "10.0.0.0/8, fd00::/8,192.0.2.1" });
    expect(proxied.trustedProxies).toEqual(["10.0.0.0/8", "fd00::/8", "192.0.2.1"]);
    expect(proxied.isLoopback).toBe(false);
    const secured = readConfig({ LINEUP_HOST: "[::]", LINEUP_TLS_CERT: certFile, LINEUP_TLS_KEY: keyFile });
    expect(secured).toMatchObject({ host: "::", tls: { certFile, keyFile } });
  });

  test("knows loopback by address, not by look", () => {
    const hosts = ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "localhost", "LocalHost"];
    expect(hosts.filter((host) => !isLoopbackHost(host))).toEqual([]);
    const others = ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "localhost.example.com", "::ffff:10.0.0.1"];
    expect(others.filter(isLoopbackHost)).toEqual([]);
  });

  test("needs both halves of a certificate", () => {
    const keyFile = write("alone.pem", "key");
    expect(faultsOf({ LINEUP_TLS_KEY: keyFile })).toEqual([expect.stringMatching(/^LINEUP_TLS_CERT is missing/)]);
    expect(faultsOf({ LINEUP_TLS_CERT: keyFile })).toEqual([expect.stringMatching(/^LINEUP_TLS_KEY is missing/)]);
  });
});

describe("secrets", () => {
  test("can be given in a file, whose last line break is no part of them", () => {
    const file = write("token", "0123456789abcdef\r\n");
    expect(readConfig({ LINEUP_METRICS_TOKEN_FILE: file }).metricsToken).toBe("0123456789abcdef");
    expect(faultsOf({ LINEUP_METRICS_TOKEN_FILE: write("empty", "\n") })).toEqual([expect.stringContaining("empty")]);
  });

  test("given twice are refused", () => {
    const env = { LINEUP_METRICS_TOKEN: "0123456789abcdef", LINEUP_METRICS_TOKEN_FILE: write("token", "x") };
    expect(faultsOf(env)).toEqual([
      "LINEUP_METRICS_TOKEN and LINEUP_METRICS_TOKEN_FILE are both set. Keep one of them.",
    ]);
  });

  test("are repeated in no message", () => {
    const env = {
      LINEUP_DATABASE_URL: "mysql://lineup:hunter2@db/lineup",
      LINEUP_DATABASE_DIRECT_URL: "postgres://lineup:hunter2@db:port/lineup",
      LINEUP_REDIS_URL_FILE: write("redis", "postgres://lineup:hunter2@db/lineup"),
      LINEUP_METRICS_TOKEN: "hunter2",
    };
    const faults = faultsOf(env);
    expect(faults.map((fault) => fault.split(" ")[0])).toEqual([
      "LINEUP_DATABASE_URL",
      "LINEUP_DATABASE_DIRECT_URL",
      "LINEUP_REDIS_URL",
      "LINEUP_METRICS_TOKEN",
    ]);
    expect(faults.join()).not.toContain("hunter2");
  });
});

describe("mail", () => {
  const mail = { LINEUP_SMTP_URL: "smtp://user:hunter2@mail.example:587", LINEUP_MAIL_FROM: "lineup@example.com" };

  test("is sent where a server, a sender and the address of the dashboard are named", () => {
    expect(readConfig({}).mail).toBeUndefined();
    const config = readConfig({ ...mail, LINEUP_PUBLIC_URL: "https://lineup.example.com/" });
    expect(config).toMatchObject({
      mail: { smtpUrl: mail.LINEUP_SMTP_URL, from: "lineup@example.com" },
      publicUrl: "https://lineup.example.com",
    });
  });

  test("is refused without any of the three: its links must begin with nothing that a request says of itself", () => {
    expect(faultsOf(mail)).toEqual([expect.stringMatching(/^LINEUP_SMTP_URL is set, but LINEUP_PUBLIC_URL is not/)]);
    const publicUrl = { LINEUP_PUBLIC_URL: "https://lineup.example.com" };
    expect(faultsOf({ ...publicUrl, LINEUP_SMTP_URL: mail.LINEUP_SMTP_URL })).toEqual([
      expect.stringMatching(/^LINEUP_MAIL_FROM must be/),
    ]);
    expect(faultsOf({ ...publicUrl, LINEUP_MAIL_FROM: mail.LINEUP_MAIL_FROM })).toEqual([
      expect.stringMatching(/^LINEUP_MAIL_FROM is set, but LINEUP_SMTP_URL is not/),
    ]);
  });
});

describe("servers", () => {
  test("are taken in either spelling, and described without their secrets", () => {
    const env = {
      LINEUP_DATABASE_URL: "postgresql://lineup:hunter2@db.example/league",
      LINEUP_REDIS_URL: "rediss://:hunter2@cache.example:6380/1",
    };
    const config = readConfig(env);
    expect([config.databaseUrl, config.redisUrl]).toEqual(Object.values(env));
    expect(describeStore(config)).toBe("PostgreSQL at db.example:5432, database league");
    expect(describeStore(readConfig({}))).toBe(resolve("data"));
  });

  test.each([
    ["an @ in the password", "postgres://lineup:hunter@2secret/tail:end@127.0.0.1/lineup"],
    ["a / in the password", "postgres://lineup:12/hunter2@127.0.0.1/lineup"],
    ["a percent sign in the password", "postgres://lineup:p%zzhunter2@127.0.0.1/lineup"],
  ])("are refused with %s that is not encoded, and nothing of it is said", (_what, url) => {
    const faults = faultsOf({ LINEUP_DATABASE_URL: url });
    expect(faults).toEqual([expect.stringContaining("percent-encoded")]);
    expect(faults.join()).not.toMatch(/hunter|secret|tail/);
  });

  test("reached past a pooler are refused without the pooler's address", () => {
    expect(faultsOf({ LINEUP_DATABASE_DIRECT_URL: "postgres://db/league" })).toEqual([
      expect.stringContaining("LINEUP_DATABASE_URL is not"),
    ]);
  });
});

test("workers without a number are one a core where there are PostgreSQL and Redis, and one elsewhere", () => {
  const [postgres, redis] = [{ LINEUP_DATABASE_URL: "postgres://db/lineup" }, { LINEUP_REDIS_URL: "redis://redis" }];
  const count = (env: Record<string, string>) =>
    countWorkers("auto", readConfig({ ...env, LINEUP_SECRET: "s".repeat(43) }));
  expect([count({ ...postgres, ...redis }), count(postgres), count({})]).toEqual([availableParallelism(), 1, 1]);
});
