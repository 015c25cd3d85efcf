/** Where the pages of the dashboard are, `$name` standing for an identifier. Whatever is not here is answered as not found. */
export const PAGE_PATHS = [
  "/",
  "/sign-in",
  "/setup",
  "/link",
  "/forgot",
  "/orgs/$orgId",
  "/orgs/$orgId/compliance/keys",
  "/orgs/$orgId/compliance/keys/new",
  "/orgs/$orgId/compliance/keys/$keyId",
  "/orgs/$orgId/compliance/webhooks",
  "/orgs/$orgId/compliance/webhooks/new",
  "/orgs/$orgId/compliance/webhooks/$webhookId",
  "/orgs/$orgId/compliance/requests",
  "/orgs/$orgId/compliance/audit",
  "/orgs/$orgId/settings/organization",
  "/orgs/$orgId/settings/members",
  "/account/profile",
  "/account/security",
  "/account/sessions",
  "/account/appearance",
  "/operator/organizations",
] as const;

export type PagePath = (typeof PAGE_PATHS)[number];
