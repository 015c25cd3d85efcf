/** What every table in PostgreSQL gets: texts in the order of their bytes, and row level security that not even its owner escapes. */

/** The two roles, one of which every transaction takes. What they may do: postgres-migrations.ts. */
export const TENANT_ROLE = "lineup_tenant";
export const OPERATOR_ROLE = "lineup_operator";

export const TEXT = 'text COLLATE "C"';

const THIS_ORGANIZATION = "current_setting('lineup.org', true)";
/**
 * A policy for a role is for all who may take it; this one is to be for those who have. As a query of its own it is asked once, and
 * not taken for a condition that few rows meet.
 */
const IS_OPERATOR = `(SELECT current_user = '${OPERATOR_ROLE}')`;

/** With no column that names its owner, a table is the operator's alone. */
export function guard(table: string, owner: string): string {
  return `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY all_of_them ON ${table} TO ${OPERATOR_ROLE} USING (${IS_OPERATOR}) WITH CHECK (${IS_OPERATOR});
${owner === "" ? "" : `CREATE POLICY own_rows ON ${table} TO ${TENANT_ROLE} USING (${owner} = ${THIS_ORGANIZATION}) WITH CHECK (${owner} = ${THIS_ORGANIZATION});`}`;
}
