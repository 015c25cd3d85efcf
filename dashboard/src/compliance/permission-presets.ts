/** Sets of permissions that go together, each with what it is for. A preset is only a start: what counts are the permissions. */
import { PERMISSIONS, type Permission } from "@lineup/api/permissions";

export interface PermissionPreset {
  readonly id: "analytics" | "roster-sync" | "scouting" | "everything";
  readonly name: string;
  readonly purpose: string;
  readonly permissions: readonly Permission[];
}

export const PERMISSION_PRESETS: readonly PermissionPreset[] = [
  {
    id: "analytics",
    name: "Read-only analytics",
    purpose: "Dashboards, reports and stat pages. Sees players, teams, roster and schedule; changes nothing.",
    permissions: ["players:read", "teams:read", "roster:read", "schedule:read"],
  },
  {
    id: "roster-sync",
    name: "Roster sync",
    purpose: "Keeps another system and your roster in step. Sees teams and roster; creates and updates players.",
    permissions: ["players:read", "players:write", "teams:read", "roster:read"],
  },
  {
    id: "scouting",
    name: "Scouting",
    purpose: "Scouting tools. Adds and updates prospects; sees the players and teams they are compared with.",
    permissions: ["players:read", "prospects:read", "prospects:write", "teams:read"],
  },
  {
    id: "everything",
    name: "Everything",
    purpose: "Every permission there is, contracts included. Only for what truly needs all of it.",
    permissions: PERMISSIONS,
  },
];

/** The preset that holds exactly these permissions. */
export function findPreset(permissions: readonly Permission[]): PermissionPreset | undefined {
  const held = new Set(permissions);
  return PERMISSION_PRESETS.find(
    (preset) => preset.permissions.length === held.size && preset.permissions.every((each) => held.has(each)),
  );
}

/** In the order of the specification, so that equal sets look equal. */
export function sortPermissions(permissions: readonly Permission[]): Permission[] {
  const held = new Set(permissions);
  return PERMISSIONS.filter((each) => held.has(each));
}

/** In a word or two, for a cell of a table. */
export function summarizePermissions(permissions: readonly Permission[]): string {
  const [first] = permissions;
  if (permissions.length === 1 && first !== undefined) return first;
  if (permissions.length === PERMISSIONS.length) return "Everything";
  if (permissions.every((each) => each.endsWith(":read"))) return `Read only (${permissions.length})`;
  return `${permissions.length} of ${PERMISSIONS.length}`;
}
