import type { Prospect } from "@lineup/api/prospects";
import { Anchor, Text } from "@mantine/core";
import { serverNow } from "../client/server-clock.ts";
import { PROSPECTS_TEXTS } from "../texts/prospect-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import type { RecordColumn } from "../ui/record-columns.ts";
import { PriorityWord, Rating, StageBadge } from "./prospect-looks.tsx";
import { daysInStage, PRIORITIES, STAGES } from "./prospects-search.ts";

const { columns } = PROSPECTS_TEXTS;

/** The columns of the table of prospects; `onOpen` opens one. */
export function makeProspectColumns(onOpen: (prospect: Prospect) => void): readonly RecordColumn<Prospect>[] {
  return [
    {
      key: "ign",
      header: columns.ign,
      isHeading: true,
      width: 180,
      sortValue: ({ ign }) => ign,
      cell: (prospect) => (
        <div>
          <Anchor component="button" type="button" inherit fw={600} ta="left" onClick={() => onOpen(prospect)}>
            {prospect.ign}
          </Anchor>
          {prospect.realName !== "" && (
            <Text size="xs" c="dimmed" fw={400}>
              {prospect.realName}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: "stage",
      header: columns.stage,
      sortValue: ({ stage }) => STAGES.indexOf(stage),
      cell: ({ stage }) => <StageBadge stage={stage} />,
    },
    {
      key: "days",
      header: columns.days,
      width: 110,
      align: "right",
      sortValue: (prospect) => daysInStage(prospect, serverNow()),
      cell: (prospect) => daysInStage(prospect, serverNow()),
    },
    {
      key: "priority",
      header: columns.priority,
      width: 110,
      sortValue: ({ priority }) => PRIORITIES.indexOf(priority),
      cell: ({ priority }) => <PriorityWord priority={priority} />,
    },
    {
      key: "rating",
      header: columns.rating,
      width: 100,
      sortValue: ({ rating }) => rating,
      cell: ({ rating }) => <Rating rating={rating} />,
    },
    { key: "game", header: columns.game, width: 100, sortValue: ({ game }) => game, cell: ({ game }) => game },
    { key: "role", header: columns.role, width: 120, sortValue: ({ role }) => role, cell: ({ role }) => role },
    {
      key: "currentTeam",
      header: columns.currentTeam,
      sortValue: ({ currentTeam }) => currentTeam,
      cell: ({ currentTeam }) => currentTeam,
    },
    {
      key: "assignedTo",
      header: columns.assignedTo,
      sortValue: ({ assignedTo }) => assignedTo,
      cell: ({ assignedTo }) => assignedTo,
    },
    {
      key: "lastContactAt",
      header: columns.lastContactAt,
      width: 130,
      sortValue: ({ lastContactAt }) => lastContactAt,
      cell: ({ lastContactAt }) => <ExactTime at={lastContactAt} as="utc-day" isStop={false} />,
    },
    {
      key: "contractEndDate",
      header: columns.contractEndDate,
      width: 130,
      sortValue: ({ contractEndDate }) => contractEndDate,
      cell: ({ contractEndDate }) =>
        contractEndDate !== null && <ExactTime at={contractEndDate} as="utc-day" isStop={false} />,
    },
    { key: "tags", header: columns.tags, cell: ({ tags }) => tags.join(", ") },
  ];
}
