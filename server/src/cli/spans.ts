/** Spans of time and moments as people type them on the command line. */
import { TIMESTAMP_MAX } from "@lineup/api/fields";
import { findMeantDay, parseInstant } from "@lineup/api/instants";
import { UsageError } from "./failure.ts";

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** 90d, 12h, 30m, 10s; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const match = /^(\d{1,9})\s*([smhd])$/i.exec(text.trim());
  const unitMs = UNITS_MS[match?.[2]?.toLowerCase() ?? ""];
  return match === null || unitMs === undefined ? undefined : Number(match[1]) * unitMs;
}

export function requireOverlap(text: string, now: number): number {
  const overlapMs = text.trim() === "0" ? 0 : parseSpan(text);
  if (overlapMs !== undefined && now + overlapMs <= TIMESTAMP_MAX) return overlapMs;
  throw new UsageError(`--overlap must be 0 or a span such as 24h, 30m or 7d (units s, m, h, d), not "${text}".`);
}

/** A span from now, a date (its first moment, UTC) or a date-time; always in the future. */
export function requireExpiry(text: string, now: number): number {
  const spanMs = parseSpan(text);
  const expiresAt = spanMs === undefined ? parseInstant(text.trim()) : now + spanMs;
  if (expiresAt === undefined || expiresAt > TIMESTAMP_MAX) {
    throw new UsageError(
      `--expires must be a span such as 90d or 12h, a date such as 2027-01-31, or a date-time such as 2027-01-31T12:00:00Z, not "${text}".`,
    );
  }
  const day = findMeantDay(text.trim());
  if (day !== undefined) {
    throw new UsageError(`--expires would read "${text}" as milliseconds since the Unix epoch; write ${day}.`);
  }
  if (expiresAt > now) return expiresAt;
  const moment = new Date(expiresAt).toISOString();
  throw new UsageError(`--expires must lie in the future; "${text}" is ${moment}. Choose a later one.`);
}
