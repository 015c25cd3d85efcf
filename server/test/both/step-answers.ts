/**
 * Compares what two servers answered to the same question, byte for byte, but for what each makes up by itself. Ids go together in pairs:
 * the first time that two stand in the same place they become one, and from then on neither may stand where the other does
 * not. A cursor is opened, and what it holds is compared alike; only the check in it, which is made of ids, is left out.
 */
import { Agent, request as httpRequest } from "node:http";

export interface StepAnswer {
  readonly status: number;
  /** Names and values in the order in which they came. */
  readonly headers: readonly string[];
  readonly text: string;
}

const ID =
  /\b(?:player|team|assignment|event|prospect|contract|org|key|req|change)_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}\b/g;
const CURSOR = /(?<="nextCursor":"|\?cursor=)[\w-]+/g;

export class IdPairs {
  readonly #toRight = new Map<string, string>();
  readonly #toLeft = new Map<string, string>();

  /** Whether the two are one, from now on if they were never seen before. */
  match(left: string, right: string): boolean {
    const [known, knownBack] = [this.#toRight.get(left), this.#toLeft.get(right)];
    if (known !== undefined || knownBack !== undefined) return known === right && knownBack === left;
    if (left.split("_")[0] !== right.split("_")[0]) return false;
    this.#toRight.set(left, right);
    this.#toLeft.set(right, left);
    return true;
  }
}

/** How two answers differ, in words; undefined when they do not. */
export function findDifference(pairs: IdPairs, left: StepAnswer, right: StepAnswer): string | undefined {
  if (left.status !== right.status) return `the status is ${left.status} and ${right.status}`;
  const [ours, theirs] = [left, right].map(({ headers }) => describeHeaders(headers));
  return (
    findTextDifference(pairs, "the bodies", left.text, right.text) ??
    findTextDifference(pairs, "the headers", ours ?? "", theirs ?? "")
  );
}

/** All of them, as they came, but for the second in which each was sent. */
function describeHeaders(headers: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? "";
    // A tag is made of the data, ids and times included, which differ: that there is one is what is the same.
    const value = name === "etag" ? "a tag" : headers[at + 1];
    if (name !== "date") lines.push(`${headers[at]}: ${value}`);
  }
  return lines.join("\n");
}

function findTextDifference(pairs: IdPairs, what: string, left: string, right: string): string | undefined {
  const [plainLeft, plainRight] = [withOpenCursors(left), withOpenCursors(right)];
  const [around, aroundToo] = [plainLeft.split(ID), plainRight.split(ID)];
  const at = around.findIndex((piece, index) => piece !== aroundToo[index]);
  if (at >= 0 || around.length !== aroundToo.length) {
    const index = at >= 0 ? at : around.length;
    return `${what} differ from here on: ${show(around[index])} and ${show(aroundToo[index])}`;
  }
  const [ids, idsToo] = [plainLeft.match(ID) ?? [], plainRight.match(ID) ?? []];
  for (const [index, id] of ids.entries()) {
    const other = idsToo[index] ?? "";
    if (!pairs.match(id, other)) return `${what} have other records in the same place: ${id} and ${other}`;
  }
  return undefined;
}

function show(text: string | undefined): string {
  return JSON.stringify(text?.slice(0, 300));
}

function withOpenCursors(text: string): string {
  return text.replaceAll(CURSOR, (cursor) =>
    Buffer.from(cursor, "base64url")
      .toString()
      .replace(/^\["[\w-]{12}"/, '["CHECK"')
      // The hash of a row of the audit log holds the ids of requests, which are each store's own.
      .replace(/^(\["CHECK",\d+,)"[0-9a-f]{12}"/, '$1"HASH"'),
  );
}

export function cursorOf({ text }: StepAnswer): string | undefined {
  return text.match(CURSOR)?.[0];
}

export interface StepQuestion {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** One connection to each server: questions that follow each other do so there too. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export function ask({ method, url, headers, body }: StepQuestion): Promise<StepAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.rawHeaders,
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

export function endConnections(): void {
  agent.destroy();
}
