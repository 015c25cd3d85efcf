import type { Contract } from "@lineup/api/contracts";
import type { Team } from "@lineup/api/teams";
import { Anchor } from "@mantine/core";
import { CONTRACTS_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { CONTRACT_KIND_NAMES } from "../texts/home-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import type { RecordColumn } from "../ui/record-columns.ts";
import { countDaysBetween } from "../ui/time-words.ts";
import { noticeDeadlineOf, statusAt } from "./contract-decisions.ts";
import { ContractStatusBadge, DecisionNote } from "./contract-looks.tsx";
import { type Decisions, STATUSES } from "./contracts-search.ts";

const { columns } = TEXTS;

export interface ContractColumnsInput {
  readonly decisions: Decisions;
  readonly teams: ReadonlyMap<string, Team>;
  readonly now: number;
  readonly onOpen: (contract: Contract) => void;
}

/** The columns of the table of contracts. */
export function makeContractColumns(input: ContractColumnsInput): readonly RecordColumn<Contract>[] {
  const { decisions, teams, now, onOpen } = input;
  const nameTeam = ({ teamId }: Contract) => teams.get(teamId ?? "")?.name ?? null;
  const daysLeft = (contract: Contract) =>
    contract.endDate === null || statusAt(contract, now) !== "active" ? null : countDaysBetween(now, contract.endDate);
  return [
    {
      key: "player",
      header: columns.player,
      isHeading: true,
      width: 150,
      sortValue: ({ playerIgn }) => playerIgn,
      cell: (contract) => (
        <Anchor component="button" type="button" inherit fw={600} ta="left" onClick={() => onOpen(contract)}>
          {contract.playerIgn}
        </Anchor>
      ),
    },
    {
      key: "status",
      header: columns.status,
      width: 130,
      sortValue: (contract) => STATUSES.indexOf(statusAt(contract, now)),
      cell: (contract) => <ContractStatusBadge contract={contract} now={now} />,
    },
    {
      key: "decision",
      header: columns.decision,
      width: 200,
      sortValue: ({ id }) => decisions.get(id)?.dueAt ?? null,
      cell: ({ id }) => {
        const decision = decisions.get(id);
        return decision && <DecisionNote decision={decision} now={now} />;
      },
    },
    { key: "team", header: columns.team, sortValue: nameTeam, cell: nameTeam },
    {
      key: "kind",
      header: columns.kind,
      width: 90,
      sortValue: ({ kind }) => CONTRACT_KIND_NAMES[kind],
      cell: ({ kind }) => CONTRACT_KIND_NAMES[kind],
    },
    {
      key: "startDate",
      header: columns.startDate,
      width: 110,
      sortValue: ({ startDate }) => startDate,
      cell: ({ startDate }) => <ExactTime at={startDate} as="utc-day" isStop={false} />,
    },
    {
      key: "endDate",
      header: columns.endDate,
      width: 110,
      sortValue: ({ endDate }) => endDate,
      cell: ({ endDate }) => <ExactTime at={endDate} as="utc-day" isStop={false} orElse={TEXTS.openEnd} />,
    },
    {
      key: "daysRemaining",
      header: columns.daysRemaining,
      width: 90,
      align: "right",
      sortValue: daysLeft,
      cell: daysLeft,
    },
    {
      key: "notice",
      header: columns.notice,
      width: 110,
      sortValue: noticeDeadlineOf,
      cell: (contract) => (
        <ExactTime at={noticeDeadlineOf(contract)} as="utc-day" isStop={false} orElse={TEXTS.noNotice} />
      ),
    },
    {
      key: "autoRenew",
      header: columns.autoRenew,
      width: 120,
      sortValue: ({ autoRenew }) => autoRenew,
      cell: ({ autoRenew }) => (autoRenew ? TEXTS.yes : TEXTS.no),
    },
  ];
}
