import { isLoopbackHost } from "../config.ts";
import { makeTrust } from "../http/client-address.ts";
import { type AskedServer, ask, askWorld, MADE_UP_ADDRESS, readJson } from "./asked-server.ts";
import {
  type Check,
  checkOf,
  type Finding,
  failure,
  type Installation,
  makeCheck,
  ok,
  type Subject,
  skipped,
  warning,
} from "./check.ts";

const NAME_IT = skipped("Name the address that clients use with --url, or set LINEUP_PUBLIC_URL.");
const NGINX_FOR =
  "in nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; in HAProxy: option forwardfor";
const NGINX_PROTO =
  "in nginx: proxy_set_header X-Forwarded-Proto $scheme; in HAProxy: http-request set-header X-Forwarded-Proto https";

const reached = makeCheck("address", "Public address", async (installation) => {
  const { worldUrl } = installation;
  if (worldUrl === undefined) return NAME_IT;
  try {
    const { health } = await installation.read(askWorld);
    if (readJson(health)?.status === "alive") return ok(`${worldUrl} leads to a Lineup server`);
    const found = `${worldUrl}/healthz answers ${health.status}, and not as a Lineup server does.`;
    return failure(
      found,
      "Let the proxy pass every path on to Lineup, and see that its server is up; or correct the address (--url, LINEUP_PUBLIC_URL).",
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    if (await speaksPlainHttp(worldUrl)) {
      return failure(
        `${worldUrl} is https://, and what answers there speaks plain HTTP.`,
        "Name the address of the proxy that serves HTTPS, or the http:// one to try it on this machine; or let the server serve HTTPS (LINEUP_TLS_CERT and LINEUP_TLS_KEY).",
      );
    }
    return failure(
      `${worldUrl} cannot be reached (${reason}).`,
      "See that the name leads here (DNS), that proxy and server run, and that the firewall lets the port in; or correct --url and LINEUP_PUBLIC_URL.",
    );
  }
});

/** At an address that begins with https://. */
async function speaksPlainHttp(url: string): Promise<boolean> {
  if (!url.startsWith("https:")) return false;
  const { hostname, port } = new URL(url);
  const plain = `http://${hostname}:${port === "" ? 443 : port}/healthz`;
  return ask(plain).then(
    ({ status }) => status !== 400,
    () => false,
  );
}

type Client = NonNullable<AskedServer["client"]>;

const checkAsked = checkOf(askWorld, "The address could not be reached.", ({ worldUrl }) =>
  worldUrl === undefined ? NAME_IT : undefined,
);

function check(
  id: string,
  title: string,
  judge: (asked: AskedServer, client: Client, installation: Installation) => Finding,
): Check {
  return checkAsked(id, title, (asked, installation) =>
    asked.client === undefined
      ? skipped("The server does not tell; it is none of this version.")
      : judge(asked, asked.client, installation),
  );
}

/** Whether somebody must stand between: HTTPS comes in where the server has no certificate. */
function hasProxy({ url }: AskedServer, { headers }: Client, { config }: Installation): boolean {
  return headers !== "none" || (url.startsWith("https:") && config.tls === undefined);
}

const trust = check("proxy-trust", "Proxy is named", (asked, client, installation) => {
  if (!hasProxy(asked, client, installation)) return ok("there is none");
  const { trustedProxies } = installation.config;
  const now = trustedProxies.length === 0 ? "it is not set" : `it is ${trustedProxies.join(",")}`;
  if (client.headers === "ignored") {
    const found =
      "The server does not believe the proxy's X-Forwarded headers: all clients count as one, and HTTPS as plain HTTP.";
    return failure(
      found,
      `Set LINEUP_TRUST_PROXY to the address that the proxy comes from (${now}), such as LINEUP_TRUST_PROXY=127.0.0.1 for one on this machine, and restart the server.`,
    );
  }
  if (client.headers === "none")
    return failure(
      "The proxy sends no X-Forwarded headers.",
      `Let it say how and for whom it asks, ${NGINX_PROTO}; and ${NGINX_FOR}.`,
    );
  return ok("LINEUP_TRUST_PROXY names it");
});

const https = check("proxy-https", "HTTPS is seen", (asked, client) => {
  if (!asked.url.startsWith("https:")) return skipped("The address is plain HTTP.");
  if (client.isSecure) return ok("the server knows that clients come by HTTPS");
  if (client.headers !== "trusted") return skipped("That waits for the proxy's headers.");
  return failure(
    "The proxy does not say that clients come by HTTPS, so every key is refused.",
    `Let it send X-Forwarded-Proto: https, ${NGINX_PROTO}.`,
  );
});

const address = check("proxy-client", "Client's address", (asked, client, installation) => {
  if (!hasProxy(asked, client, installation)) return ok("the connection's own");
  if (client.headers !== "trusted") return skipped("That waits for the proxy's headers.");
  if (client.address === null)
    return failure(
      "The proxy does not say for whom it asks: all clients share one limit, and logs name the proxy.",
      `Let it send X-Forwarded-For, ${NGINX_FOR}.`,
    );
  const { ownAddress } = asked.ready;
  const isTrusted = makeTrust(installation.config.trustedProxies)(ownAddress) || isLoopbackHost(ownAddress);
  if (asked.pretended?.address === MADE_UP_ADDRESS && !isTrusted) {
    return failure(
      "The proxy passes on what clients claim of their address, so anybody can be anybody.",
      `Let it add the address that it sees to X-Forwarded-For, or replace it, ${NGINX_FOR}, after http-request del-header X-Forwarded-For.`,
    );
  }
  return ok(`seen as ${client.address}`);
});

const key = check("proxy-key", "Keys arrive", ({ refused, url }, client) => {
  const { error } = (readJson(refused) ?? {}) as { readonly error?: { readonly message?: string } };
  if (error?.message?.startsWith("This is not a key")) return ok("the Authorization header reaches the server");
  if (!client.isSecure && url.startsWith("https:")) return skipped("That waits for the proxy's headers.");
  if (error?.message?.startsWith("HTTPS is required")) {
    return failure(
      `Clients come to ${url} by plain HTTP, so every key is refused.`,
      "Let the proxy serve HTTPS, and name its https:// address (--url, LINEUP_PUBLIC_URL).",
    );
  }
  const found =
    error?.message === undefined
      ? `Requests with a key are answered with ${refused.status} by something before the server.`
      : `Keys do not reach the server as they were sent; it says: ${error.message}`;
  const todo =
    "Let the proxy pass the Authorization header on unchanged, and ask for no password of its own under /api (nginx: no auth_basic, no proxy_set_header Authorization).";
  return failure(found, todo);
});

const origin = check("proxy-host", "Address is kept", (asked, client) => {
  if (client.origin === new URL(asked.url).origin) return ok("the dashboard knows its own address");
  if (client.headers === "ignored" || (asked.url.startsWith("https:") && !client.isSecure))
    return skipped("That waits for the proxy's headers.");
  const found = `The dashboard takes its address for ${client.origin ?? "another"}, and refuses sign-in under ${asked.url}.`;
  return warning(
    found,
    `Let the proxy keep the Host header (nginx: proxy_set_header Host $http_host), or set LINEUP_PUBLIC_URL=${new URL(asked.url).origin} and restart the server.`,
  );
});

export const PROXY_SUBJECT: Subject = {
  title: "The way of clients",
  checks: [reached, trust, https, address, key, origin],
};
