import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Text, VisuallyHidden } from "@mantine/core";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { sayNumber } from "../ui/number-words.ts";

type Listed = ActionResult<"listOrganizations">["organizations"][number];

const { columns } = TEXTS;

export function makeOrganizationColumns(onSetTier: (organization: Listed) => void): readonly Column<Listed>[] {
  return [
    {
      key: "name",
      header: columns.name,
      isHeading: true,
      cell: ({ id, name }) => (
        <div>
          {name}
          <Text ff="monospace" size="xs" c="dimmed" fw={400} style={{ overflowWrap: "anywhere" }}>
            {id}
          </Text>
        </div>
      ),
    },
    { key: "tier", header: columns.tier, cell: ({ tier }) => tier },
    { key: "members", header: columns.members, align: "right", cell: ({ members }) => sayNumber(members) },
    { key: "keys", header: columns.keys, align: "right", cell: ({ activeKeys }) => sayNumber(activeKeys) },
    {
      key: "requests",
      header: columns.requests,
      align: "right",
      cell: ({ requestsLastDay }) => sayNumber(requestsLastDay),
    },
    { key: "created", header: columns.created, cell: ({ createdAt }) => <ExactTime at={createdAt} as="day" /> },
    {
      key: "actions",
      header: columns.actions,
      hideHeader: true,
      align: "right",
      cell: (organization) => (
        <Button size="compact-sm" variant="default" onClick={() => onSetTier(organization)}>
          {TEXTS.setTier}
          <VisuallyHidden> {TEXTS.ofOrganization(organization.name)}</VisuallyHidden>
        </Button>
      ),
    },
  ];
}
