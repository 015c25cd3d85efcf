import type { KeyView } from "@lineup/api/dashboard/keys";
import { Text } from "@mantine/core";
import { KEYS_TEXTS } from "../texts/key-texts.ts";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { KeyStateBadge } from "./key-state-badge.tsx";
import { PermissionSummary } from "./permission-summary.tsx";
import { RecentHours } from "./recent-hours.tsx";

const { columns } = KEYS_TEXTS;

/** The columns of the list of keys. */
export function makeKeyColumns(orgId: string): readonly Column<KeyView>[] {
  return [
    {
      key: "name",
      header: columns.name,
      isHeading: true,
      width: "28%",
      cell: (key) => (
        <div>
          <TextLink
            inherit
            to="/orgs/$orgId/compliance/keys/$keyId"
            params={{ orgId, keyId: key.id }}
            fw={600}
            lineClamp={2}
          >
            {key.name}
          </TextLink>
          <Text ff="monospace" size="xs" c="dimmed" fw={400}>
            {key.shownPrefix}…
          </Text>
        </div>
      ),
    },
    { key: "state", header: columns.state, cell: (key) => <KeyStateBadge state={key.state} /> },
    {
      key: "permissions",
      header: columns.permissions,
      cell: (key) => <PermissionSummary permissions={key.permissions} />,
    },
    { key: "recent", header: columns.recent, cell: (key) => <RecentHours hours={key.recentHours} /> },
    {
      key: "lastUsed",
      header: columns.lastUsed,
      cell: (key) => <ExactTime at={key.lastUsedAt} orElse={KEYS_TEXTS.notYet} />,
    },
    { key: "expires", header: columns.expires, cell: (key) => <KeyEnd apiKey={key} /> },
    { key: "createdBy", header: columns.createdBy, isTyped: true, cell: (key) => key.createdBy },
  ];
}

/** When it ends; of a revoked key, when it was revoked. */
function KeyEnd({ apiKey }: { readonly apiKey: KeyView }) {
  if (apiKey.revokedAt === null) return <ExactTime at={apiKey.expiresAt} />;
  return (
    <>
      {KEYS_TEXTS.revoked} <ExactTime at={apiKey.revokedAt} />
    </>
  );
}
