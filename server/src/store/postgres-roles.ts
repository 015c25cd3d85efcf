/** The two roles, one of which every transaction takes. What they may do: postgres-migrations.ts. */
export const TENANT_ROLE = "lineup_tenant";
export const OPERATOR_ROLE = "lineup_operator";
