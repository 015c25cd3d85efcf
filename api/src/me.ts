/** What a key may know about itself. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { PERMISSIONS } from "./permissions.ts";
import { ID_EXAMPLE } from "./resource.ts";
import { DAY_MS, TIER_NAMES, TIERS } from "./tiers.ts";

const window = z.strictObject({
  limit: z.int().meta({ example: 300 }),
  remaining: z.int().meta({ example: 299 }),
  reset: field.timestamp.describe("When the oldest counted request leaves the window"),
});

const keyDescription = z.strictObject({
  id: field.idOf("key").describe("Identifier of the key; not the key itself."),
  name: field.shortText.describe("The name the key was given."),
  permissions: z.array(z.enum(PERMISSIONS)).describe("What the key may do."),
  expiresAt: field.timestamp
    .nullable()
    .describe("When the key stops working, in milliseconds since the Unix epoch; null when it never does."),
  organization: z
    .strictObject({ id: field.idOf("org"), name: field.shortText })
    .describe("The organization whose data the key opens."),
  tier: z.enum(TIER_NAMES).describe("The plan of the organization; it sets the limits."),
  limits: z
    .strictObject({ minute: window, day: window })
    .describe(
      "What is left of both rolling windows, this request counted. `reset` is in milliseconds since the Unix epoch, unlike the header `X-RateLimit-Reset`, which is in seconds.",
    ),
});

export type KeyDescription = z.output<typeof keyDescription>;

const EXAMPLE_NOW = Date.UTC(2026, 0, 1, 12);

/** As the reference shows it; it is in no table, and so no resource. */
export const keyComponent = {
  component: "KeyDescription",
  description: "The API key that made the request.",
  tag: { name: "Key", description: "What the key that is asking may do, and how much of its limits is left." },
  schema: keyDescription,
  example: {
    id: `key_${ID_EXAMPLE}`,
    name: "Website",
    permissions: PERMISSIONS.filter((permission) => permission.endsWith(":read")),
    expiresAt: null,
    organization: { id: `org_${ID_EXAMPLE}`, name: "Northlight Esports" },
    tier: "Pro",
    limits: {
      minute: { limit: TIERS.Pro.perMinute, remaining: TIERS.Pro.perMinute - 1, reset: EXAMPLE_NOW + 60_000 },
      day: { limit: TIERS.Pro.perDay, remaining: TIERS.Pro.perDay - 1, reset: EXAMPLE_NOW + DAY_MS },
    },
  } satisfies KeyDescription,
} as const;

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
