/**
 * What people may do in an organization: four roles, each a set of capabilities. Closed unless it stands here.
 * Imports nothing, so that the browser gets it without the schemas.
 */
export const ROLES = ["owner", "compliance", "manager", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export const CAPABILITIES = [
  "organization:view",
  "organization:manage",
  "data:view",
  "data:manage",
  "data:erase",
  "keys:view",
  "keys:manage",
  "requests:view",
  "audit:view",
  "members:view",
  "members:manage",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

const EVERYBODY: readonly Capability[] = ["organization:view", "data:view"];

export const CAPABILITIES_OF: Readonly<Record<Role, ReadonlySet<Capability>>> = {
  owner: new Set(CAPABILITIES),
  compliance: new Set([
    ...EVERYBODY,
    "keys:view",
    "keys:manage",
    "requests:view",
    "audit:view",
    "members:view",
  ] satisfies Capability[]),
  manager: new Set([...EVERYBODY, "data:manage"] satisfies Capability[]),
  viewer: new Set(EVERYBODY),
};

export function allows(role: Role, capability: Capability): boolean {
  return CAPABILITIES_OF[role].has(capability);
}
