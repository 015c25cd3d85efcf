/**
 * Asking without waiting: the embedded store has every answer at once, and to be promised what is there already takes as long as to look it
 * up. Who asks the same few statements for every write asks this way; the others do not notice which database it is.
 */
import type { CompiledQuery, Kysely } from "kysely";
import { withValues } from "./kept-query.ts";
import type { Database } from "./schema.ts";

export interface AtOnce {
  askAtOnce<R>(sql: string, parameters: readonly unknown[]): readonly R[];
}

/** The rows of a query; promised only where they have to be waited for. */
export function ask<R>(
  db: Kysely<Database>,
  query: CompiledQuery<R>,
  parameters: readonly unknown[],
): readonly R[] | Promise<readonly R[]> {
  const executor = db.getExecutor();
  if (isAtOnce(executor)) return executor.askAtOnce<R>(query.sql, parameters);
  return executor.executeQuery(withValues<R>(query, parameters)).then(({ rows }) => rows);
}

function isAtOnce(executor: object): executor is AtOnce {
  return "askAtOnce" in executor;
}
