import { stat } from "node:fs/promises";
import { countWorkers, isLoopbackHost, listMissingForWorkers } from "../config.ts";
import { SETTINGS } from "../settings.ts";
import {
  type Finding,
  failure,
  type Installation,
  makeCheck,
  ok,
  orOk,
  type Subject,
  splitAdvice,
  warning,
} from "./check.ts";

const NODE_MAJOR_MIN = 26;

const settings = makeCheck("settings", "Settings", ({ faults, config }) =>
  orOk(
    [
      ...faults.map(
        (fault): Finding => ({
          state: "fail",
          ...splitAdvice(
            fault,
            `Correct ${/^\w+/.exec(fault)?.[0]} where the server gets its settings, and start it again.`,
          ),
        }),
      ),
      ...config.warnings.map((one): Finding => ({ state: "warn", ...splitAdvice(one) })),
    ],
    `none of the ${SETTINGS.length} settings is wrong, and none is unknown`,
  ),
);

/** What is right by itself and wrong together. */
const agreement = makeCheck("settings-agree", "Settings together", ({ config }) =>
  orOk([...listContradictions(config)], "they fit together"),
);

function* listContradictions(config: Installation["config"]): Generator<Finding> {
  const { workers, publicUrl, tls, isLoopback, trustedProxies } = config;
  const missing = listMissingForWorkers(config);
  if (workers !== "auto" && workers > 1 && missing.length > 0) {
    yield failure(
      `LINEUP_WORKERS asks for ${workers} processes, which need PostgreSQL and Redis; the server does not start.`,
      `Set ${missing.join(" and ")}, or unset LINEUP_WORKERS.`,
    );
  }
  if (publicUrl?.startsWith("http:") && (tls !== undefined || !isLoopback)) {
    yield failure(
      `LINEUP_PUBLIC_URL is ${publicUrl}, while clients come by HTTPS: links lead nowhere, and sign-in is refused.`,
      "Set LINEUP_PUBLIC_URL to the https:// address that people use.",
    );
  }
  const isProxyHere =
    trustedProxies.length > 0 && trustedProxies.every((one) => isLoopbackHost(one.split("/")[0] ?? ""));
  if (!isLoopback && tls === undefined && isProxyHere) {
    yield warning(
      `LINEUP_HOST is ${config.host}, so other machines reach the server past its proxy, over plain HTTP.`,
      "Set LINEUP_HOST to 127.0.0.1, where the proxy on this machine reaches it.",
    );
  }
  if (publicUrl?.startsWith("https:") && tls === undefined && trustedProxies.length === 0) {
    yield failure(
      `LINEUP_PUBLIC_URL is ${publicUrl}, but nothing here serves HTTPS: no certificate is set, and no proxy is named.`,
      "Set LINEUP_TRUST_PROXY to the address of the proxy that serves HTTPS, or LINEUP_TLS_CERT and LINEUP_TLS_KEY.",
    );
  }
}

/** Of a container they are made by who runs it, for everybody in it to read. */
const MOUNTED = "/run/secrets/";

const secretFiles = makeCheck("secret-files", "Files of secrets", async ({ secretFiles: files }) => {
  const own = files.filter((file) => !file.startsWith(MOUNTED));
  const found = await Promise.all(own.map((file) => stat(file).catch(() => undefined)));
  const open = own.filter((_file, index) => {
    const one = found[index];
    // That a folder was named, another check says.
    return process.platform !== "win32" && one?.isDirectory() === false && (one.mode & 0o007) !== 0;
  });
  if (open.length === 0) return ok(files.length === 0 ? "there are none" : "not for everybody to read");
  const todo = `Close them: chmod 600 ${open.join(" ")}, and give them to the server's user; replace what others may have read.`;
  return failure(`Everybody on this machine may read ${open.join(", ")}.`, todo);
});

const node = makeCheck("node", "Node", () => {
  const { node: version } = process.versions;
  if (Number(version.split(".")[0]) >= NODE_MAJOR_MIN) return ok(`version ${version}`);
  const found = `Node ${version} is too old; Lineup needs ${NODE_MAJOR_MIN}.`;
  return failure(
    found,
    "Start it as npx lineup, which takes the Node that Lineup brings, or says how to have it installed.",
  );
});

const LEAST_BYTES = 256 * 1024 * 1024;

const memory = makeCheck("memory", "Memory", ({ config }) => {
  const limit = process.constrainedMemory() ?? 0;
  const least = LEAST_BYTES * countWorkers(config.workers, config);
  const mb = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  // Without a limit, the number is that of all memory, or absurd.
  if (limit === 0 || limit >= least) return ok("enough for a server");
  const found = `This container or service may use ${mb(limit)}; a server wants ${mb(least)}.`;
  return warning(found, `Raise its limit to ${mb(least)} or more (MemoryMax of systemd, mem_limit of compose).`);
});

export const SETTINGS_SUBJECT: Subject = {
  title: "Settings and program",
  checks: [settings, agreement, secretFiles, node, memory],
};
