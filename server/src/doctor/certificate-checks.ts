import { X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";
import { isIP } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { DAY_MS } from "@lineup/api/tiers";
import { isLoopbackHost } from "../config.ts";
import { tlsOptions } from "../http/tls.ts";
import { reasonOf } from "../store/store-error.ts";
import { type Answer, askWorld } from "./asked-server.ts";
import { checkOf, type Finding, failure, makeCheck, ok, orOk, type Subject, skipped, warning } from "./check.ts";

const RENEW_BEFORE_DAYS = 21;
const RENEW = "Renew it (certbot renew, or your authority's way) and see why that did not happen by itself";

const files = makeCheck("certificate", "Certificate", ({ config, unusable, worldUrl }) => {
  const { tls } = config;
  if (tls === undefined) {
    return skipped(
      unusable.has("LINEUP_TLS_CERT") || unusable.has("LINEUP_TLS_KEY")
        ? "Its settings cannot be used."
        : "LINEUP_TLS_CERT is not set.",
    );
  }
  const read = tlsOptions(tls);
  try {
    createSecureContext(read);
  } catch (error) {
    return failure(
      `${tls.certFile} and ${tls.keyFile} cannot be used together (${reasonOf(error)}).`,
      "Set LINEUP_TLS_CERT and LINEUP_TLS_KEY to PEM files of the same certificate; for Let's Encrypt, fullchain.pem and privkey.pem.",
    );
  }
  const chain = (
    read.cert.toString("utf8").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  ).map((pem) => new X509Certificate(pem));
  const [leaf] = chain;
  if (leaf === undefined)
    return failure(`${tls.certFile} holds no certificate.`, "Set LINEUP_TLS_CERT to the PEM file of the certificate.");
  const host = worldUrl === undefined ? undefined : new URL(worldUrl).hostname.replace(/^\[(.*)\]$/, "$1");
  return orOk(
    [
      // An expired one above it is refused by clients as well.
      ...chain.map((one, at) =>
        judgeDates(
          one.validFromDate.getTime(),
          one.validToDate.getTime(),
          at === 0 ? tls.certFile : `${one.subject} in ${tls.certFile}`,
        ),
      ),
      host === undefined || (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) !== undefined
        ? undefined
        : failure(
            `The certificate is for ${leaf.subjectAltName ?? leaf.subject}, not for ${host}.`,
            `Get one that names ${host} for LINEUP_TLS_CERT, or correct LINEUP_PUBLIC_URL.`,
          ),
      judgeChain(chain, tls.certFile),
    ],
    `fits its key, until ${leaf.validToDate.toISOString().slice(0, 10)}`,
  );
});

function judgeDates(from: number, to: number, name: string): Finding | undefined {
  const now = Date.now();
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
  if (from > now)
    return failure(
      `The certificate of ${name} is not valid before ${day(from)} UTC.`,
      "Set this machine's clock right (date -u), or use the certificate that is valid now.",
    );
  if (to <= now)
    return failure(
      `The certificate of ${name} expired on ${day(to)} UTC.`,
      `${RENEW}; the server takes up a changed file by itself.`,
    );
  const days = Math.floor((to - now) / DAY_MS);
  if (days >= RENEW_BEFORE_DAYS) return undefined;
  return warning(
    `The certificate of ${name} expires in ${days} ${days === 1 ? "day" : "days"}, on ${day(to)} UTC.`,
    `${RENEW}; the server takes up a changed file by itself.`,
  );
}

/** Each must be issued by the one behind it, and the last by an authority that this machine knows. */
function judgeChain(chain: readonly X509Certificate[], file: string): Finding | undefined {
  const [last] = chain.slice(-1);
  const isOrdered = chain.every((one, index) => index === 0 || chain[index - 1]?.checkIssued(one));
  if (!isOrdered)
    return failure(
      `The certificates in ${file} are not in the order of their issuing.`,
      "Put the server's own first and behind each the one that issued it (fullchain.pem).",
    );
  if (last === undefined) return undefined;
  const roots = getCACertificates("default").map((pem) => new X509Certificate(pem));
  if (roots.some((root) => last.checkIssued(root) || last.fingerprint256 === root.fingerprint256)) return undefined;
  if (last.checkIssued(last))
    return warning(
      `The certificate in ${file} is signed by itself or by an authority that this machine does not know.`,
      "Use one of a public authority, or let clients know yours (NODE_EXTRA_CA_CERTS for Node).",
    );
  return warning(
    `The chain in ${file} is not complete: who issued ${last.subject.replaceAll("\n", ", ")} is not in it.`,
    "Set LINEUP_TLS_CERT to the file with the intermediate certificates in it (fullchain.pem, not cert.pem).",
  );
}

const keyFile = makeCheck("certificate-key", "Its key", async ({ config: { tls } }) => {
  if (tls === undefined) return skipped("LINEUP_TLS_KEY is not set.");
  const { mode } = await stat(tls.keyFile);
  if ((mode & 0o007) === 0) return ok("not for everybody to read");
  return failure(
    `Everybody on this machine may read ${tls.keyFile}.`,
    `Close it: chmod 600 ${tls.keyFile}, and give it to the server's user; replace the certificate if others were there.`,
  );
});

const checkShown = checkOf(askWorld, "The address could not be reached.", ({ worldUrl }) => {
  if (worldUrl === undefined) return skipped("Name the address that clients use with --url.");
  const { protocol, hostname } = new URL(worldUrl);
  if (protocol !== "http:") return undefined;
  if (isLoopbackHost(hostname.replace(/^\[(.*)\]$/, "$1"))) return skipped("Plain HTTP, on this machine alone.");
  return failure(
    `${worldUrl} is plain HTTP: others can read keys and passwords on their way.`,
    "Serve HTTPS (LINEUP_TLS_CERT and LINEUP_TLS_KEY, or a proxy) and set LINEUP_PUBLIC_URL to the https:// address.",
  );
});
const shown = checkShown("certificate-shown", "As clients see it", ({ url, health: { tls } }) =>
  judgeShown(tls, new URL(url).host),
);

function judgeShown(tls: Answer["tls"], host: string): Finding {
  if (tls === undefined) return skipped("No certificate was shown.");
  const { certificate, refusal } = tls;
  const dates = judgeDates(Date.parse(certificate.valid_from), Date.parse(certificate.valid_to), host);
  if (dates !== undefined) return dates;
  if (refusal === undefined)
    return ok(`clients accept it, until ${new Date(certificate.valid_to).toISOString().slice(0, 10)}`);
  const todo = /ALTNAME/.test(refusal)
    ? `Get a certificate that names ${host}, or use the address that it names.`
    : "Serve the whole chain (fullchain.pem) of a public authority; where the authority is yours, run this with NODE_EXTRA_CA_CERTS.";
  return failure(`Clients refuse the certificate of ${host} (${refusal}).`, todo);
}

export const CERTIFICATE_SUBJECT: Subject = { title: "Certificate", checks: [files, keyFile, shown] };
