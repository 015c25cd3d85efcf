/** The moment of a change, in SQL, for rows that are changed without being read. */
import { type Expression, type RawBuilder, sql } from "kysely";

/** Now, but always later than the row was changed before, whatever the clock says. `shown` is when it last seemed to be. */
export function laterThan(now: number, shown: Expression<number> = sql.ref("updated_at")): RawBuilder<number> {
  return sql<number>`case when ${shown} < ${now} then ${now} else ${shown} + 1 end`;
}
