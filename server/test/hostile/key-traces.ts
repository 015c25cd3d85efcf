/**
 * Looks for traces of keys where none may be. A key is shown by its first characters; whatever lies beyond them is secret,
 * in whole and in part. A trace is any eight characters in a row of that secret part, as they are or as UTF-16, or a longer
 * piece in base64, in hexadecimal, or as a list of byte values, which is how a logged buffer looks.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shownPrefixOf } from "../../src/access/key-format.ts";

export interface KeyTrace {
  /** The file, or "log", or whatever the bytes were called. */
  readonly where: string;
  /** The key by its shown prefix. */
  readonly key: string;
  readonly form: "text" | "base64" | "hex" | "byte list";
  readonly trace: string;
}

/** Every trace of the keys in the files of the data folder, journals included, and in the log. */
export function findKeyTraces(dataDir: string, logText: string, keys: readonly string[]): KeyTrace[] {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return [
    ...findKeyTracesIn("log", logText, keys),
    ...files.flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const bytes = readUnlessGone(path);
      return bytes === undefined ? [] : findKeyTracesIn(path, bytes, keys);
    }),
  ];
}

/** A server at work removes a journal once its transaction is over, which may be after the folder was listed. */
function readUnlessGone(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function findKeyTracesIn(where: string, content: string | Buffer, keys: readonly string[]): KeyTrace[] {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const text = bytes.toString("latin1");
  // Without its NULs, UTF-16 reads like any other text.
  const plain = [...findPieces(text, keys), ...findPieces(text.replaceAll("\0", ""), keys)];
  const traces = new Map(plain.map((trace) => [`${trace.key} ${trace.trace}`, { where, ...trace }]));
  return [...traces.values(), ...findEncoded(text, keys).map((trace) => ({ where, ...trace }))];
}

type Found = Omit<KeyTrace, "where">;

const PIECE_LENGTH = 8;

function secretPartOf(key: string): string {
  return key.slice(shownPrefixOf(key).length);
}

/** One pass over the text, however many keys there are. */
function findPieces(text: string, keys: readonly string[]): Found[] {
  const owners = new Map<string, string>();
  for (const key of keys) {
    const secret = secretPartOf(key);
    for (let at = 0; at + PIECE_LENGTH <= secret.length; at++) {
      owners.set(secret.slice(at, at + PIECE_LENGTH), shownPrefixOf(key));
    }
  }
  const found: Found[] = [];
  for (const [run] of text.matchAll(/[0-9A-Za-z]{8,}/g)) {
    for (let at = 0; at + PIECE_LENGTH <= run.length; at++) {
      const trace = run.slice(at, at + PIECE_LENGTH);
      const key = owners.get(trace);
      if (key !== undefined) found.push({ key, form: "text", trace });
    }
  }
  return found;
}

/** Pieces of twelve bytes, which begin at every fourth, so that fifteen in a row cannot slip through. */
function findEncoded(text: string, keys: readonly string[]): Found[] {
  const found: Found[] = [];
  for (const key of keys) {
    const secret = Buffer.from(secretPartOf(key));
    for (let at = 0; at + 12 <= secret.length; at += 4) {
      const piece = secret.subarray(at, at + 12);
      const needles: [KeyTrace["form"], string][] = [
        ...[0, 1, 2].map((shift): [KeyTrace["form"], string] => ["base64", base64At(piece, shift)]),
        ["hex", piece.toString("hex")],
        ["byte list", piece.join(",")],
      ];
      for (const [form, trace] of needles) {
        if (text.includes(trace)) found.push({ key: shownPrefixOf(key), form, trace });
      }
    }
  }
  return found;
}

/** What is sure to stand in base64 of any text that holds the piece at this place of a group of three. */
function base64At(piece: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), piece]).toString("base64url");
  return encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor(((piece.length + shift) / 3) * 4));
}
