/** One hostile request as data: the bytes that are sent, and the answer that is right. */
import { type ExpectedAnswer, refusal } from "./answer-rules.ts";

export interface HostileCase {
  readonly name: string;
  /** Sent as they are, with `{KEY}` replaced by a valid key. Text stands for its Latin-1 bytes. */
  readonly bytes: string | Buffer;
  readonly expected: ExpectedAnswer;
  /** Whether the connection is closed after the answer; otherwise it must go on to work. */
  readonly closes?: boolean;
}

export const PREFIX = "/api/public/v1";
export const HOST = "Host: lineup.example\r\n";
export const AUTHORIZATION = "Authorization: Bearer {KEY}\r\n";
export const JSON_TYPE = "Content-Type: application/json\r\n";
export const PLAIN_GET = `GET ${PREFIX}/me HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`;

export const OK: ExpectedAnswer = { status: 200 };
export const CREATED: ExpectedAnswer = { status: 201 };
export const NOT_FOUND = refusal("NOT_FOUND");
export const NO_KEY = refusal("INVALID_API_KEY");
export const SEVERAL_KEYS = refusal("INVALID_API_KEY", /several Authorization headers.*exactly one/);
export const REFUSED = refusal("VALIDATION_ERROR");
export const BAD_PARAMETER = refusal("INVALID_PARAMETER");

/** What is not well-formed HTTP: always the same answer, and the connection is closed. */
export function notHttp(name: string, bytes: string | Buffer, says?: RegExp): HostileCase {
  return { name, bytes, expected: refusal("VALIDATION_ERROR", says), closes: true };
}

/** A GET of /players with a valid key and further header lines. */
export function getWith(headerLines: string): string {
  return `GET ${PREFIX}/players HTTP/1.1\r\n${HOST}${AUTHORIZATION}${headerLines}\r\n`;
}

/** A POST to /players with a valid key, further header lines, and whatever follows the head. */
export function postWith(headerLines: string, rest: string): string {
  return `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${AUTHORIZATION}${JSON_TYPE}${headerLines}\r\n${rest}`;
}
