/**
 * A receipt is what an auditor takes away: how many entries every chain had, and the hash of the last. Anyone who has the database can put
 * back all of an older state of it, with the seals of that time; a receipt that is kept elsewhere shows it.
 */
import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { REGISTER_MAX_BYTES, readBounded } from "../store/bounded-file.ts";
import { StoreError } from "../store/store-error.ts";

const receiptSchema = z.strictObject({
  format: z.literal("lineup audit receipt"),
  takenAt: z.int(),
  /** By the chain's id. */
  chains: z.record(z.string(), z.strictObject({ count: z.int().min(0), hash: z.string() })),
});
export type Receipt = z.output<typeof receiptSchema>;

/** Undefined where there is no such file yet. */
export function readReceipt(file: string): Receipt | undefined {
  let text: string;
  try {
    text = readBounded(file, REGISTER_MAX_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return receiptSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StoreError(`${file} is no receipt of "lineup audit verify". Name the right file, or a new one.`, {
      cause,
    });
  }
}

/** The file is the old one or the new one, at any moment. */
export function writeReceipt(file: string, takenAt: number, chains: Receipt["chains"]): void {
  const receipt: Receipt = { format: "lineup audit receipt", takenAt, chains };
  const beside = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(beside, `${JSON.stringify(receipt, undefined, 2)}\n`, { flag: "wx", mode: 0o600, flush: true });
  renameSync(beside, file);
}
