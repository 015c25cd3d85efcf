/** Sets of permissions that go together. A preset is only a start: what counts are the permissions. */
import { PERMISSIONS, type Permission } from "@lineup/api/permissions";
import { KEYS_TEXTS, type PRESET_TEXTS } from "../texts/key-texts.ts";

export type PresetId = keyof typeof PRESET_TEXTS;

export const PERMISSION_PRESETS: readonly { readonly id: PresetId; readonly permissions: readonly Permission[] }[] = [
  { id: "analytics", permissions: ["players:read", "teams:read", "roster:read", "schedule:read"] },
  { id: "roster-sync", permissions: ["players:read", "players:write", "teams:read", "roster:read"] },
  { id: "scouting", permissions: ["players:read", "prospects:read", "prospects:write", "teams:read"] },
  { id: "everything", permissions: PERMISSIONS },
];

/** The preset that holds exactly these permissions. */
export function findPreset(permissions: readonly Permission[]): PresetId | undefined {
  const held = new Set(permissions);
  return PERMISSION_PRESETS.find(
    (preset) => preset.permissions.length === held.size && preset.permissions.every((each) => held.has(each)),
  )?.id;
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
  if (permissions.length === PERMISSIONS.length) return KEYS_TEXTS.everything;
  if (permissions.every((each) => each.endsWith(":read"))) return KEYS_TEXTS.readOnly(permissions.length);
  return KEYS_TEXTS.some(permissions.length, PERMISSIONS.length);
}
