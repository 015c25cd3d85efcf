import type { Permission } from "@lineup/api/permissions";
import { Text, Tooltip } from "@mantine/core";
import { sortPermissions, summarizePermissions } from "./permission-presets.ts";

/** Permissions in a word or two; all of them in its tooltip. */
export function PermissionSummary({ permissions }: { readonly permissions: readonly Permission[] }) {
  const summary = summarizePermissions(permissions);
  const all = sortPermissions(permissions).join(", ");
  if (summary === all) {
    return (
      <Text span inherit ff="monospace" fz="0.8125rem">
        {summary}
      </Text>
    );
  }
  return (
    <Tooltip label={all}>
      <Text span inherit tabIndex={0}>
        {summary}
      </Text>
    </Tooltip>
  );
}
