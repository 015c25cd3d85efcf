/** Settings › Members: who belongs to the organization, whom it invites, and how somebody gets a new password. */
import { listInvitations, withdrawInvitation as withdrawIn } from "../identity/invitations.ts";
import {
  changeRole as changeRoleIn,
  listMembers as listMembersIn,
  removeMember as removeMemberIn,
} from "../identity/members.ts";
import {
  makeResetLinkAsOperator as makeResetLinkAsOperatorIn,
  makeResetLink as makeResetLinkIn,
} from "../identity/reset-links.ts";
import type { ActionVerb } from "./context.ts";

export const listMembers: ActionVerb<"listMembers"> = async ({ tools, visit, user, orgId }) => {
  const [members, invitations] = await Promise.all([
    listMembersIn(tools.store, orgId, user.id),
    listInvitations(tools.store, orgId, visit.now),
  ]);
  return { members, invitations };
};

export const changeRole: ActionVerb<"changeRole"> = async ({ tools, visit, origin, orgId }, { path, body }) => {
  await changeRoleIn(tools.store, origin, { orgId, userId: path.userId, role: body.role }, visit.now);
  return {};
};

export const removeMember: ActionVerb<"removeMember"> = async ({ tools, visit, origin, orgId }, { path }) => {
  await removeMemberIn(tools.store, origin, { orgId, userId: path.userId }, visit.now);
  return {};
};

export const leaveOrganization: ActionVerb<"leaveOrganization"> = async ({ tools, visit, user, origin, orgId }) => {
  await removeMemberIn(tools.store, origin, { orgId, userId: user.id }, visit.now);
  return {};
};

export const invite: ActionVerb<"invite"> = ({ tools, visit, origin, orgId }, { body }) =>
  tools.identity.invite(visit, origin, { orgId, email: body.email, role: body.role });

export const withdrawInvitation: ActionVerb<"withdrawInvitation"> = async (
  { tools, visit, origin, orgId },
  { path },
) => {
  await withdrawIn(tools.store, origin, { orgId, linkId: path.linkId }, visit.now);
  return {};
};

export const makeResetLink: ActionVerb<"makeResetLink"> = ({ tools, visit, user, origin, orgId }, { path }) =>
  makeResetLinkIn(tools.identity.tools, visit, origin, { orgId, userId: path.userId, maker: user });

export const makeResetLinkAsOperator: ActionVerb<"makeResetLinkAsOperator"> = ({ tools, visit, origin }, { body }) =>
  makeResetLinkAsOperatorIn(tools.identity.tools, visit, origin, body.email);
