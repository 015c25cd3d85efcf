/** What a key may know about itself. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { PERMISSIONS } from "./permissions.ts";
import { TIER_NAMES } from "./tiers.ts";

const window = z.strictObject({
  limit: z.int().meta({ example: 300 }),
  remaining: z.int().meta({ example: 299 }),
  reset: field.timestamp.describe("When the oldest counted request leaves the window"),
});

export const keyDescription = z.strictObject({
  id: field.idOf("key"),
  name: field.shortText,
  permissions: z.array(z.enum(PERMISSIONS)),
  expiresAt: field.timestamp.nullable(),
  organization: z.strictObject({ id: field.idOf("org"), name: field.shortText }),
  tier: z.enum(TIER_NAMES),
  limits: z.strictObject({ minute: window, day: window }),
});

export type KeyDescription = z.output<typeof keyDescription>;

export const describeKey = defineEndpoint({
  name: "describeKey",
  method: "GET",
  path: "/me",
  permission: "any",
  tag: "Key",
  summary: "The key that is asking",
  description:
    "Its name, permissions, expiry, organization and tier, and what is left of both windows. Any key may ask.",
  query: {},
  result: keyDescription,
  list: false,
  timeless: false,
});
