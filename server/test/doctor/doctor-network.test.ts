/** Faults on the way of clients: certificates, a balancer and its headers, what listens, mail, clocks, each with real servers. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as ask, createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { lockDataFolder } from "../../src/store/data-folder.ts";
import { makeCertificate } from "../hostile/self-signed.ts";
import { runLineup } from "../run-lineup.ts";
import { findFreePort } from "../services/free-port.ts";
import { type HaproxyOptions, startHaproxy } from "../services/haproxy.ts";
import { canStart } from "../services/provided-services.ts";
import { killLiving, serve } from "../serving-process.ts";
import { examine, examineApart, expectAllRight, expectFault, notRight } from "./examined.ts";

const DAY_MS = 86_400_000;
let root: string;
let dataDir: string;
let authority: { readonly name: string; readonly key: string };
/** A process that begins with it believes certificates of that authority. */
let trusting: { readonly NODE_EXTRA_CA_CERTS: string };

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineup-doctor-"));
  dataDir = join(root, "data");
  await runLineup(["org", "create", "--name", "A"], { LINEUP_DATA_DIR: dataDir });
  await runLineup(["user", "create", "--email", "a@example.com", "--org", "A", "--role", "owner"], {
    LINEUP_DATA_DIR: dataDir,
  });
  const name = "Authority of tests";
  const { cert, key } = makeCertificate({ serial: 300, name, isAuthority: true, toMs: Date.now() + 400 * DAY_MS });
  authority = { name, key };
  trusting = { NODE_EXTRA_CA_CERTS: join(root, "authority.pem") };
  writeFileSync(trusting.NODE_EXTRA_CA_CERTS, cert);
});

afterAll(() => {
  killLiving();
  rmSync(root, { recursive: true, force: true });
});

interface Wanted {
  readonly days?: number;
  readonly fromDays?: number;
  readonly name?: string;
  readonly isSelfSigned?: boolean;
}

let made = 0;
function makeFiles({ days = 90, fromDays = -1, name = "localhost", isSelfSigned = false }: Wanted = {}) {
  const issuer = isSelfSigned ? {} : { issuer: authority };
  const times = { fromMs: Date.now() + fromDays * DAY_MS, toMs: Date.now() + days * DAY_MS };
  const { cert, key } = makeCertificate({ serial: 400 + made, name, ...times, ...issuer });
  const files = [`cert-${made}.pem`, `key-${made}.pem`, `both-${made++}.pem`].map((file) => join(root, file));
  const [certFile = "", keyFile = "", bothFile = ""] = files;
  for (const [file, text] of [
    [certFile, cert],
    [keyFile, key],
    [bothFile, cert + key],
  ] as const) {
    writeFileSync(file, text, { mode: 0o600 });
  }
  return { certFile, keyFile, bothFile };
}

describe("of a certificate", () => {
  const lookAtFiles = async (
    certFile: string,
    keyFile: string,
    env: object = trusting,
    url = "https://localhost:1",
  ) => {
    const tls = { LINEUP_TLS_CERT: certFile, LINEUP_TLS_KEY: keyFile };
    const examined = await examineApart({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0", ...env, ...tls }, ["--url", url]);
    // Nobody listens there.
    return { ...examined, checks: examined.checks.filter(({ id }) => id !== "address") };
  };

  test.each([
    ["has expired", { days: -0.5 }, /Renew it/],
    ["expires soon", { days: 10 }, /Renew it/],
    ["is not valid yet", { fromDays: 2 }, /clock right/],
    ["is for another host", { name: "elsewhere.example" }, /names localhost/],
    ["is signed by itself", { isSelfSigned: true }, /public authority/],
  ])("finds that it %s", async (_what, wanted, todo) => {
    const { certFile, keyFile } = makeFiles(wanted);
    const { checks } = await lookAtFiles(certFile, keyFile);
    const found = checks.filter(({ state }) => state === "warn" || state === "fail");
    expect(found.map(({ id }) => id)).toEqual(["certificate"]);
    expect(found[0]?.todo).toMatch(todo);
  });

  test("finds that the chain ends too early", async () => {
    const { certFile, keyFile } = makeFiles();
    const { checks } = await lookAtFiles(certFile, keyFile, {});
    expect(checks.find(({ id }) => id === "certificate")).toMatchObject({
      state: "warn",
      todo: expect.stringContaining("fullchain.pem"),
    });
  });

  test("finds that the key is another's", async () => {
    const { checks } = await lookAtFiles(makeFiles().certFile, makeFiles().keyFile);
    expect(checks.find(({ id }) => id === "certificate")).toMatchObject({
      state: "fail",
      todo: expect.stringContaining("LINEUP_TLS_KEY"),
    });
  });

  test("finds that everybody may read the key", async () => {
    const { certFile, keyFile } = makeFiles();
    chmodSync(keyFile, 0o644);
    const before = await lookAtFiles(certFile, keyFile);
    expect(notRight(before)).toEqual(["certificate-key"]);
    chmodSync(keyFile, 0o600);
    expect(notRight(await lookAtFiles(certFile, keyFile))).toEqual([]);
  });
});

describe.runIf(canStart("haproxy"))("behind a balancer", () => {
  const start = async (options: Partial<HaproxyOptions>, settings: Record<string, string>, wanted: Wanted = {}) => {
    const port = await findFreePort();
    const env = { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: String(port), ...settings };
    const serving = await serve([], env);
    const { bothFile } = makeFiles(wanted);
    const haproxy = await startHaproxy({ backends: [{ host: "127.0.0.1", port }], certFile: bothFile, ...options });
    const stop = async () => {
      await haproxy.stop();
      await serving.stop("SIGTERM");
    };
    onTestFinished(stop);
    await expect.poll(() => haproxy.listReady()).toEqual([true]);
    return examineApart({ ...env, ...trusting }, ["--url", haproxy.url]);
  };
  const TRUSTED = { LINEUP_TRUST_PROXY: "127.0.0.1" };

  test("finds all right where it is set up as shipped", async () => {
    const examined = await start({}, TRUSTED);
    expectAllRight(examined);
    expect(examined.checks.filter(({ id }) => id.startsWith("proxy-")).map(({ state }) => state)).toEqual(
      Array(5).fill("ok"),
    );
  });

  test("finds that the balancer is not trusted", async () => {
    expectFault(await start({}, {}), "proxy-trust", /LINEUP_TRUST_PROXY=127\.0\.0\.1/);
  });

  test("finds that another one is trusted", async () => {
    expectFault(await start({}, { LINEUP_TRUST_PROXY: "10.1.2.3" }), "proxy-trust", /it is 10\.1\.2\.3/);
  });

  test("finds that it does not say HTTPS", async () => {
    const without = ["http-request set-header X-Forwarded-Proto https"];
    expectFault(await start({ without }, TRUSTED), "proxy-https", /X-Forwarded-Proto/);
  });

  test("finds that it does not say for whom it asks", async () => {
    expectFault(await start({ without: ["option forwardfor"] }, TRUSTED), "proxy-client", /option forwardfor/);
  });

  test("finds that it changes the address that was asked for", async () => {
    const backendLines = ["http-request set-header Host inside.example"];
    expectFault(await start({ backendLines }, TRUSTED), "proxy-host", /LINEUP_PUBLIC_URL=https/);
  });

  test("finds that keys do not arrive", async () => {
    const backendLines = ["http-request del-header Authorization"];
    expectFault(await start({ backendLines }, TRUSTED), "proxy-key", /Authorization header/);
  });

  test("finds that clients refuse its certificate", async () => {
    expectFault(await start({}, TRUSTED, { isSelfSigned: true }), "certificate-shown", /NODE_EXTRA_CA_CERTS/);
  });

  test("finds that its certificate has expired", async () => {
    expectFault(await start({}, TRUSTED, { days: -0.5 }), "certificate-shown", /Renew it/);
  });
});

describe("of a proxy that speaks plain HTTP", () => {
  test("finds that keys are refused, and asks for HTTPS", async () => {
    const port = await findFreePort();
    const env = { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: String(port), LINEUP_TRUST_PROXY: "127.0.0.1" };
    const serving = await serve([], env);
    onTestFinished(async () => void (await serving.stop("SIGTERM")));
    const proxy = createServer((request, response) => {
      const told = { "x-forwarded-proto": "http", "x-forwarded-for": "203.0.113.9" };
      const headers = { ...request.headers, ...told };
      ask({ port, path: request.url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      }).end();
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => proxy.close() && undefined);
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    expectFault(await examine(env, ["--url", url]), "proxy-key", /serve HTTPS/);
  });
});

describe("of what listens", () => {
  const listen = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => server.close() && undefined);
    return String((server.address() as AddressInfo).port);
  };

  test("finds that no server does", async () => {
    const settings = { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: String(await findFreePort()) };
    expectFault(await examine(settings), "server", /npx lineup serve/);
  });

  test("finds another program on the port", async () => {
    const LINEUP_PORT = await listen((_request, response) => response.end("<h1>It works!</h1>"));
    expectFault(await examine({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT }), "server", /LINEUP_PORT/);
  });

  test("finds a server that has the folder and does not answer", async () => {
    const lock = lockDataFolder(dataDir);
    onTestFinished(() => lock.release());
    const settings = { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: String(await findFreePort()) };
    expectFault(await examine(settings), "server", /LINEUP_PORT/);
  });

  test("finds a server that is not ready, and says why", async () => {
    const LINEUP_PORT = await listen((request, response) =>
      response.end(
        request.url === "/healthz"
          ? '{"status":"alive"}'
          : '{"status":"unavailable","reason":"the server is stopping"}',
      ),
    );
    const { checks } = await examine({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT });
    expect(checks.find(({ id }) => id === "server-ready")).toMatchObject({
      state: "fail",
      found: expect.stringContaining("is stopping"),
    });
    expect(checks.find(({ id }) => id === "server-version")).toMatchObject({
      state: "warn",
      todo: expect.stringContaining("Restart"),
    });
  });

  test("finds a public address that nobody answers", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const { checks, code } = await examine({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0" }, ["--url", url]);
    expect(checks.find(({ id }) => id === "address")).toMatchObject({
      state: "fail",
      todo: expect.stringContaining("DNS"),
    });
    expect(code).toBe(1);
  });

  test("finds a clock that is wrong", async () => {
    const LINEUP_PORT = await listen((_request, response) => {
      response.setHeader("Date", new Date(Date.now() - 90_000).toUTCString());
      response.end('{"status":"alive"}');
    });
    const { checks } = await examine({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT });
    expect(checks.find(({ id }) => id === "clocks")).toMatchObject({
      state: "fail",
      todo: expect.stringContaining("set-ntp"),
    });
  });

  test("does not wait for ever for one that is silent, and tells the rest", async () => {
    const silent = createTcpServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => silent.close() && undefined);
    const LINEUP_PORT = String((silent.address() as AddressInfo).port);
    const { checks } = await examine({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT });
    const told = { state: "fail", found: expect.stringContaining("no answer within 5 seconds") };
    expect(checks.find(({ id }) => id === "server")).toMatchObject(told);
    expect(checks.find(({ id }) => id === "store")?.state).toBe("ok");
  });
});

describe("of the machine", () => {
  test("finds that too few files may be open", () => {
    const bin = fileURLToPath(new URL("../../bin/lineup.mjs", import.meta.url));
    const script = `ulimit -n 1024; exec "${process.execPath}" "${bin}" doctor --json`;
    const { stdout } = spawnSync("sh", ["-c", script], { env: { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0" } });
    const { checks } = JSON.parse(stdout.toString()) as { checks: { id: string; state: string; todo?: string }[] };
    expect(checks.find(({ id }) => id === "open-files")).toMatchObject({
      state: "warn",
      todo: expect.stringContaining("LimitNOFILE"),
    });
  });
});

describe("of mail", () => {
  const settings = (port: number, password: string) => ({
    LINEUP_DATA_DIR: dataDir,
    LINEUP_PORT: "0",
    LINEUP_PUBLIC_URL: "http://localhost:1",
    LINEUP_MAIL_FROM: "lineup@example.com",
    LINEUP_SMTP_URL: `smtp://someone:${password}@127.0.0.1:${port}`,
  });
  const stateOfMail = async (port: number, password: string) => {
    const { checks, out } = await examine(settings(port, password));
    expect(out).not.toContain(password);
    return checks.find(({ id }) => id === "mail");
  };

  test("finds a mail server that is not there, or refuses the password, and one that is well", async () => {
    const post = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === "right-password" ? done(null, { user: "someone" }) : done(new Error("Not you")),
    });
    const server = post.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await stateOfMail(port, "right-password")).toMatchObject({ state: "ok" });
    const refused = { state: "fail", todo: expect.stringContaining("LINEUP_SMTP_URL") };
    expect(await stateOfMail(port, "wrong-password")).toMatchObject(refused);
    await new Promise<void>((resolve) => post.close(resolve));
    expect(await stateOfMail(port, "right-password")).toMatchObject(refused);
  });
});
