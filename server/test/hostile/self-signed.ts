/** Certificates for tests, put together by hand: Node can read certificates but not make them. */
import { generateKeyPairSync, sign } from "node:crypto";

const ECDSA_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const SUBJECT_ALT_NAME = "0603551d11";
const BASIC_CONSTRAINTS = "0603551d13";
const DAY_MS = 86_400_000;

interface Issuer {
  readonly name: string;
  readonly key: string;
}

export interface CertificateOptions {
  /** Must lie between 256 and 32,767, so that it takes two bytes. */
  readonly serial: number;
  readonly name?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Signed by itself unless told. */
  readonly issuer?: Issuer;
  readonly isAuthority?: boolean;
}

export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export function makeSelfSigned(serial: number): CertificatePair {
  return makeCertificate({ serial });
}

/** For 127.0.0.1, and for localhost or whatever name it is to have instead. */
export function makeCertificate(options: CertificateOptions): CertificatePair {
  const { serial, name = "localhost", fromMs = Date.now() - DAY_MS, toMs = Date.now() + DAY_MS } = options;
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, hex(ECDSA_SHA256));
  const ownIp = name === "localhost" ? [der(0x87, Buffer.from([127, 0, 0, 1]))] : [];
  const names = der(0x30, der(0x82, Buffer.from(name)), ...ownIp);
  const authority = der(0x30, hex(BASIC_CONSTRAINTS), hex("0101ff"), der(0x04, der(0x30, hex("0101ff"))));
  const extensions = [der(0x30, hex(SUBJECT_ALT_NAME), der(0x04, names)), ...(options.isAuthority ? [authority] : [])];
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial >> 8, serial & 0xff])),
    algorithm,
    distinguishedName(options.issuer?.name ?? name),
    der(0x30, utcTime(fromMs), utcTime(toMs)),
    distinguishedName(name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = sign("sha256", body, options.issuer?.key ?? privateKey);
  const certificate = der(0x30, body, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function distinguishedName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, hex(COMMON_NAME), der(0x0c, Buffer.from(name)))));
}

/** One element of DER: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

function utcTime(ms: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`));
}
