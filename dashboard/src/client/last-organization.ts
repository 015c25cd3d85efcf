/** Which organization was looked at last on this device, so that `/` leads back to it. */
const KEY = "lineup-organization";

export function noteOrganization(orgId: string): void {
  try {
    localStorage.setItem(KEY, orgId);
  } catch {
    // Storage is forbidden or full: `/` leads to the first organization.
  }
}

export function findLastOrganization(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
