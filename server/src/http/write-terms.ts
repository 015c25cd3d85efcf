/** What a client says of its write beside the body, so that it can repeat it, or knows what it changes: `Idempotency-Key` and `If-Match`. */
import type { IncomingHttpHeaders } from "node:http";
import type { ErrorDetail } from "@lineup/api/errors";
import type { WantedWrite } from "../resources/context.ts";
import { matchesTag, serializeResource, tagOf } from "./answer.ts";

export interface WriteTerms extends Pick<WantedWrite, "idempotencyKey" | "isExpected"> {
  readonly faults: readonly ErrorDetail[];
}

export function readWriteTerms(method: string, headers: IncomingHttpHeaders): WriteTerms {
  const faults: ErrorDetail[] = [];
  const sentKey = textOf(headers["idempotency-key"]);
  const idempotencyKey = sentKey === undefined ? undefined : readKey(sentKey);
  if (sentKey !== undefined && idempotencyKey === undefined) {
    faults.push({
      field: "Idempotency-Key",
      message: "must be sent once: 1 to 255 visible ASCII characters, quoted or not",
    });
  }
  // What is new has no version that could be expected.
  const ifMatch = method === "PATCH" ? headers["if-match"] : undefined;
  if (ifMatch !== undefined && !IF_MATCH.test(ifMatch)) {
    faults.push({
      field: "If-Match",
      message: 'must be the ETag of a GET of the record, such as W/"…", several of them, or *',
    });
  }
  return { idempotencyKey, isExpected: makeExpectation(ifMatch), faults };
}

/** Node makes one text of a header that was repeated, with a comma and a space between. */
function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** Bare or as a string of RFC 9651, the same key is the same. Undefined where it is neither. */
function readKey(sent: string): string | undefined {
  const quoted = sent.startsWith('"') ? (QUOTED.exec(sent)?.[1] ?? "") : undefined;
  const key = quoted === undefined ? sent : quoted.replaceAll(/\\(.)/g, "$1");
  return VISIBLE.test(key) ? key : undefined;
}

const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const IF_MATCH = new RegExp(`^(?:\\*|${TAG}(?:[ \\t]*,[ \\t]*${TAG})*)$`);

/** A star asks for no more than that there is such a record, which every update does. */
function makeExpectation(ifMatch: string | undefined): WriteTerms["isExpected"] {
  if (ifMatch === undefined || ifMatch === "*") return undefined;
  return (record) => matchesTag(ifMatch, tagOf(serializeResource(record)));
}
