/** What the checks want to know of what a store holds; asked in the same words of both databases. */
import type { Config } from "../config.ts";
import { AuditSealer } from "../store/audit-chain.ts";
import { type ChainClaim, CLAIM } from "../store/audit-look.ts";
import { readMarks } from "../store/audit-marks.ts";
import { findSecret } from "../store/secret-file.ts";

export interface Reader {
  /** Parameters are question marks. */
  all<Row>(sql: string, ...values: readonly (string | number)[]): Promise<Row[]>;
}

/** A chain as the store tells it. */
export interface ToldChain {
  readonly chainId: string;
  readonly claim: ChainClaim;
}

export interface ToldWebhook {
  readonly id: string;
  readonly failing_since: number | null;
  readonly disabled_at: number | null;
  readonly disabled_reason: string | null;
  readonly next_due_at: number | null;
}

export type StoreContents = Awaited<ReturnType<typeof readContents>>;

/** Of more, `lineup audit verify` looks at the rest. */
const CHAINS_MAX = 100;
const WEBHOOKS_MAX = 10_000;

const COUNTS = `SELECT (SELECT count(*) FROM organizations) AS organizations, (SELECT count(*) FROM users) AS users,
  (SELECT count(*) FROM members WHERE role = 'owner') AS owners,
  (SELECT max(a.at) FROM audit_heads AS h JOIN audit AS a ON a.org_id = h.org_id AND a.seq = h.count) AS newest`;

export async function readContents(reader: Reader, config: Config) {
  // What is wrong with their file, another check tells.
  const marks = await readMarks(config.dataDir).catch(() => undefined);
  const ownMark = findSealer(config)?.mark ?? "";
  const [counts] = await reader.all<Record<"organizations" | "users" | "owners" | "newest", number | null>>(COUNTS);
  const heads = await reader.all<{ org_id: string }>(
    `SELECT org_id FROM audit_heads ORDER BY org_id LIMIT ${CHAINS_MAX}`,
  );
  const chains: ToldChain[] = [];
  for (const { org_id: chainId } of heads) {
    const seen = marks?.chains.get(chainId)?.count ?? 0;
    const [claim] = await reader.all<ChainClaim>(CLAIM, seen, ownMark, chainId);
    if (claim !== undefined) chains.push({ chainId, claim });
  }
  const webhooks = await reader.all<ToldWebhook>(
    `SELECT id, failing_since, disabled_at, disabled_reason, next_due_at FROM webhooks
     WHERE failing_since IS NOT NULL OR disabled_at IS NOT NULL OR next_due_at IS NOT NULL ORDER BY id LIMIT ${WEBHOOKS_MAX}`,
  );
  return {
    organizations: counts?.organizations ?? 0,
    users: counts?.users ?? 0,
    owners: counts?.owners ?? 0,
    /** When the last entry of any audit log was made. */
    newestAt: counts?.newest ?? null,
    chains,
    webhooks,
    /** What this machine knew of its chains when they were read. */
    marks,
  };
}

/** Undefined where this machine has no secret that can be used. */
export function findSealer(config: Config): AuditSealer | undefined {
  try {
    const secret = findSecret(config);
    return secret === undefined ? undefined : new AuditSealer(secret);
  } catch {
    return undefined;
  }
}
