/** The permissions, in the specification's order. A write permission does not imply the read one. */
export const PERMISSIONS = [
  "players:read",
  "players:write",
  "prospects:read",
  "prospects:write",
  "contracts:read",
  "teams:read",
  "roster:read",
  "schedule:read",
] as const;

export type Permission = (typeof PERMISSIONS)[number];

export const PERMISSION_GRANTS: Readonly<Record<Permission, string>> = {
  "players:read": "view player profiles, stats and basic information",
  "players:write": "create and update players",
  "prospects:read": "view prospects",
  "prospects:write": "add and update prospects",
  "contracts:read": "view contracts and expiration dates",
  "teams:read": "view teams and team details",
  "roster:read": "view roster information and player assignments",
  "schedule:read": "view upcoming schedule, matches and events",
};

export function isPermission(text: string): text is Permission {
  return (PERMISSIONS as readonly string[]).includes(text);
}
