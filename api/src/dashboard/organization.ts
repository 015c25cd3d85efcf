/** An organization as its people see it: Home, its settings, its members; and all of them, for the operator. */
import * as z from "zod";
import { contractResource } from "../contracts.ts";
import { prospectResource } from "../prospects.ts";
import { rosterResource } from "../roster.ts";
import { scheduleResource } from "../schedule.ts";
import { TIER_NAMES } from "../tiers.ts";
import { email, personName } from "./account.ts";
import { defineAction, done, moment, roleSchema } from "./action.ts";
import { keyStateSchema } from "./keys.ts";

const tier = z.enum(TIER_NAMES, { error: `must be one of ${TIER_NAMES.join(", ")}` });

/** One hour of requests: answered, refused with 4xx, failed with 5xx. */
export const usageHourSchema = z.strictObject({ at: moment, answered: z.int(), refused: z.int(), failed: z.int() });

export const homeSchema = z.strictObject({
  /** Of the last 24 hours, oldest first, the hour under way last. */
  hours: z.array(usageHourSchema),
  /** Null for those who may not see keys. */
  keysNeedingAttention: z
    .array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        shownPrefix: z.string(),
        state: keyStateSchema,
        expiresAt: moment.nullable(),
      }),
    )
    .nullable(),
  /** Active ones that end within 90 days, drafts and pending ones whose start has come, and the other active ones of the same players. */
  contracts: z.array(contractResource.schema),
  /** From a day ago on, soonest first. */
  events: z.array(scheduleResource.schema),
  /** Contacted, on trial or offered, the longest in their stage first. */
  waitingProspects: z.array(prospectResource.schema),
  /** Assignments that began or ended within 14 days, the latest first. */
  moves: z.array(rosterResource.schema),
  checklist: z.strictObject({
    hasTeam: z.boolean(),
    hasPlayers: z.boolean(),
    hasKey: z.boolean(),
    hasFirstCall: z.boolean(),
  }),
});

export const organizationSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  tier,
  createdAt: moment,
  limits: z.strictObject({ perMinute: z.int(), perDay: z.int() }),
  usage: z.strictObject({
    /** Neither revoked nor expired. */
    activeKeys: z.int(),
    players: z.int(),
    teams: z.int(),
    requestsLastDay: z.int(),
    /** The key with the most requests of the last 24 hours; null where there are none, and for those who may not see keys. */
    busiestKey: z.strictObject({ id: z.string(), name: z.string(), requestsLastDay: z.int() }).nullable(),
  }),
});

export const memberSchema = z.strictObject({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
  hasSecondFactor: z.boolean(),
  isYou: z.boolean(),
  joinedAt: moment,
  lastSeenAt: moment.nullable(),
});

export const invitationSchema = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: roleSchema,
  invitedBy: z.string(),
  createdAt: moment,
  expiresAt: moment,
});

/** A link as it was made: shown this once. */
const madeLink = z.strictObject({ link: z.string(), expiresAt: moment, wasMailed: z.boolean() });

export const ORGANIZATION_ACTIONS = [
  defineAction({
    name: "getHome",
    method: "GET",
    path: "/orgs/{orgId}/home",
    access: "organization:view",
    summary: "What Home shows",
    result: homeSchema,
  }),
  defineAction({
    name: "getOrganization",
    method: "GET",
    path: "/orgs/{orgId}",
    access: "organization:view",
    summary: "The organization, what its tier allows, and how much of it is used",
    result: organizationSchema,
  }),
  defineAction({
    name: "renameOrganization",
    method: "PATCH",
    path: "/orgs/{orgId}",
    access: "organization:manage",
    summary: "Rename the organization",
    body: z.strictObject({ name: personName }),
    result: done,
  }),
  defineAction({
    name: "leaveOrganization",
    method: "POST",
    path: "/orgs/{orgId}/leave",
    access: "organization:view",
    summary: "Leave the organization; its last owner cannot",
    result: done,
  }),
  defineAction({
    name: "listMembers",
    method: "GET",
    path: "/orgs/{orgId}/members",
    access: "members:view",
    summary: "Members and open invitations",
    result: z.strictObject({ members: z.array(memberSchema), invitations: z.array(invitationSchema) }),
  }),
  defineAction({
    name: "changeRole",
    method: "PATCH",
    path: "/orgs/{orgId}/members/{userId}",
    access: "members:manage",
    summary: "Change a member's role; one owner must remain",
    body: z.strictObject({ role: roleSchema }),
    result: done,
  }),
  defineAction({
    name: "removeMember",
    method: "DELETE",
    path: "/orgs/{orgId}/members/{userId}",
    access: "members:manage",
    summary: "Remove a member; one owner must remain",
    result: done,
  }),
  defineAction({
    name: "makeResetLink",
    method: "POST",
    path: "/orgs/{orgId}/members/{userId}/reset-link",
    access: "members:manage",
    summary: "Make a link with which a member chooses a new password",
    result: madeLink,
  }),
  defineAction({
    name: "invite",
    method: "POST",
    path: "/orgs/{orgId}/invitations",
    access: "members:manage",
    summary: "Invite somebody by a link, mailed where the server can send mail",
    body: z.strictObject({ email, role: roleSchema }),
    result: madeLink.extend({ id: z.string() }),
  }),
  defineAction({
    name: "withdrawInvitation",
    method: "DELETE",
    path: "/orgs/{orgId}/invitations/{linkId}",
    access: "members:manage",
    summary: "Withdraw an invitation",
    result: done,
  }),
  defineAction({
    name: "listOrganizations",
    method: "GET",
    path: "/operator/organizations",
    access: "operator",
    summary: "All organizations",
    result: z.strictObject({
      organizations: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          tier,
          createdAt: moment,
          members: z.int(),
          activeKeys: z.int(),
          requestsLastDay: z.int(),
        }),
      ),
    }),
  }),
  defineAction({
    name: "createOrganization",
    method: "POST",
    path: "/operator/organizations",
    access: "operator",
    summary: "Make an organization and invite its first owner",
    body: z.strictObject({ name: personName, tier, ownerEmail: email }),
    result: madeLink.extend({ id: z.string() }),
  }),
  defineAction({
    name: "setTier",
    method: "PATCH",
    path: "/operator/organizations/{targetOrgId}",
    access: "operator",
    summary: "Set an organization's tier",
    body: z.strictObject({ tier }),
    result: done,
  }),
  defineAction({
    name: "makeResetLinkAsOperator",
    method: "POST",
    path: "/operator/reset-links",
    access: "operator",
    summary: "Make a link with which the person with this email address chooses a new password",
    body: z.strictObject({ email }),
    result: madeLink,
  }),
] as const;
