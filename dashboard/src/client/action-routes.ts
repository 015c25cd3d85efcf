/**
 * Method and path of every action, as plain texts. The records in `@lineup/api` hold the same, with every schema; to import them would
 * bring all schemas and zod into the first load. The type below refuses any text that differs from its record.
 */
import type { ActionName, ActionNamed } from "@lineup/api/dashboard/actions";

export const ACTION_ROUTES: {
  readonly [N in ActionName]: `${ActionNamed<N>["method"]} ${ActionNamed<N>["path"]}`;
} = {
  getSession: "GET /session",
  signIn: "POST /session",
  verifySecondFactor: "POST /session/second-factor",
  signOut: "DELETE /session",
  describeLink: "POST /links/describe",
  signInByLink: "POST /links/sign-in",
  acceptInvitation: "POST /links/accept",
  resetPassword: "POST /links/reset",
  requestPasswordReset: "POST /password-resets",
  setUp: "POST /setup",
  updateProfile: "PATCH /account",
  changePassword: "POST /account/password",
  listSessions: "GET /account/sessions",
  endSession: "DELETE /account/sessions/{sessionId}",
  endAllSessions: "DELETE /account/sessions",
  beginSecondFactor: "POST /account/second-factor",
  confirmSecondFactor: "POST /account/second-factor/confirm",
  renewRecoveryCodes: "POST /account/second-factor/recovery-codes",
  endSecondFactor: "POST /account/second-factor/end",
  getHome: "GET /orgs/{orgId}/home",
  getOrganization: "GET /orgs/{orgId}",
  renameOrganization: "PATCH /orgs/{orgId}",
  leaveOrganization: "POST /orgs/{orgId}/leave",
  listMembers: "GET /orgs/{orgId}/members",
  changeRole: "PATCH /orgs/{orgId}/members/{userId}",
  removeMember: "DELETE /orgs/{orgId}/members/{userId}",
  makeResetLink: "POST /orgs/{orgId}/members/{userId}/reset-link",
  invite: "POST /orgs/{orgId}/invitations",
  withdrawInvitation: "DELETE /orgs/{orgId}/invitations/{linkId}",
  listOrganizations: "GET /operator/organizations",
  createOrganization: "POST /operator/organizations",
  setTier: "PATCH /operator/organizations/{targetOrgId}",
  makeResetLinkAsOperator: "POST /operator/reset-links",
  listKeys: "GET /orgs/{orgId}/keys",
  createKey: "POST /orgs/{orgId}/keys",
  getKey: "GET /orgs/{orgId}/keys/{keyId}",
  getKeyUsage: "GET /orgs/{orgId}/keys/{keyId}/usage",
  updateKey: "PATCH /orgs/{orgId}/keys/{keyId}",
  rotateKey: "POST /orgs/{orgId}/keys/{keyId}/rotate",
  revokeKey: "POST /orgs/{orgId}/keys/{keyId}/revoke",
  listRequests: "GET /orgs/{orgId}/requests",
  getRequest: "GET /orgs/{orgId}/requests/{requestId}",
  listAudit: "GET /orgs/{orgId}/audit",
  exportAudit: "POST /orgs/{orgId}/audit/export",
};
