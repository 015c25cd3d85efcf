/**
 * Contracts over time, a row for each player: those that need a decision first. However many there are, only the rows near what is looked at are
 * drawn. Each bar is a button that says its contract in words, so that the list can be read and walked through without seeing it.
 */
import type { Contract } from "@lineup/api/contracts";
import type { Team } from "@lineup/api/teams";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import { nameTeam } from "../records/name-team.ts";
import { useRecords } from "../records/use-records.ts";
import { TIMELINE_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { useOverscan } from "../ui/use-overscan.ts";
import { usePageTop } from "../ui/use-virtual-rows.ts";
import { BarButton, BarShape, TRACK_PX } from "./contract-bar.tsx";
import { DecisionNote } from "./contract-looks.tsx";
import classes from "./contract-timeline.module.css";
import { type Decisions, groupByPlayer, type PlayerContracts, type Span } from "./contracts-search.ts";
import { layOutBars, type TimeWindow } from "./timeline-geometry.ts";
import { TimelineAxis, TimelineControls, TimelineGrid, TimelineLegend } from "./timeline-parts.tsx";

const YEAR_MS = 365 * 86_400_000;
const ROW_PADDING_PX = 12;
/** A line with the player's name, and one more where something is to be decided. */
const NAME_PX = 22;
const NOTE_PX = 18;
/** How much of the time line lies before today. */
const PAST_SHARE = 0.25;
/** In hundredths of its width: what can be pressed with a thumb. */
const LEAST = { phone: 8, wide: 3.5 };

export interface ContractTimelineProps {
  /** In the order in which they are shown. */
  readonly contracts: readonly Contract[];
  readonly decisions: Decisions;
  readonly now: number;
  readonly span: Span | undefined;
  readonly onSpan: (span: Span) => void;
  readonly onOpen: (contract: Contract) => void;
}

export function ContractTimeline({ contracts, decisions, now, span, onSpan, onOpen }: ContractTimelineProps) {
  const isPhone = useIsPhone();
  const chosen = span ?? (isPhone ? "1" : "2");
  const [shift, setShift] = useState(0);
  const window = useMemo(() => makeWindow(now, Number(chosen), shift), [now, chosen, shift]);
  return (
    <>
      <TimelineControls span={chosen} onSpan={onSpan} shift={shift} onShift={setShift} window={window} />
      <div className={classes.frame}>
        <TimelineAxis window={window} now={now} isPhone={isPhone} />
        <div className={classes.body}>
          <TimelineGrid window={window} now={now} isPhone={isPhone} />
          <TimelineRows
            rows={useMemo(() => groupByPlayer(contracts), [contracts])}
            decisions={decisions}
            now={now}
            window={window}
            isPhone={isPhone}
            onOpen={onOpen}
          />
        </div>
      </div>
      <TimelineLegend />
    </>
  );
}

function makeWindow(now: number, years: number, shift: number): TimeWindow {
  const length = years * YEAR_MS;
  const from = now - length * PAST_SHARE + (shift * length) / 2;
  return { from, to: from + length };
}

interface TimelineRowsProps {
  readonly rows: readonly PlayerContracts[];
  readonly decisions: Decisions;
  readonly now: number;
  readonly window: TimeWindow;
  readonly isPhone: boolean;
  readonly onOpen: (contract: Contract) => void;
}

function TimelineRows({ rows, decisions, now, window, isPhone, onOpen }: TimelineRowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const pageTopPx = usePageTop(list);
  const teams = useRecords("team");
  const drawn = useMemo(
    () =>
      rows.map((row) => {
        const bars = layOutBars(row.contracts, window, now, isPhone ? LEAST.phone : LEAST.wide);
        const tracks = Math.max(...bars.map(({ track }) => track)) + 1;
        const decision = row.contracts.map(({ id }) => decisions.get(id)).find((each) => each !== undefined);
        const namePx = NAME_PX * 2 + (decision === undefined ? 0 : NOTE_PX * (isPhone ? 1 : 2));
        const barsPx = tracks * TRACK_PX;
        const heightPx = (isPhone ? namePx + barsPx : Math.max(namePx, barsPx)) + ROW_PADDING_PX;
        return { row, bars, barsPx, decision, heightPx };
      }),
    [rows, decisions, window, now, isPhone],
  );
  const virtual = useWindowVirtualizer({
    count: drawn.length,
    estimateSize: (index) => drawn[index]?.heightPx ?? TRACK_PX,
    getItemKey: (index) => drawn[index]?.row.playerId ?? index,
    overscan: useOverscan(12),
    scrollMargin: pageTopPx,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured anew.
  useLayoutEffect(() => virtual.measure(), [drawn]);
  return (
    <ul ref={list} className={classes.rows} style={{ height: virtual.getTotalSize() }} aria-label={TEXTS.label}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const one = drawn[index];
        if (one === undefined) return null;
        return (
          <TimelineRow
            key={key}
            {...one}
            top={start - pageTopPx}
            index={index}
            count={drawn.length}
            teams={teams.byId}
            now={now}
            onOpen={onOpen}
          />
        );
      })}
    </ul>
  );
}

interface TimelineRowProps extends Pick<TimelineRowsProps, "now" | "onOpen"> {
  readonly row: PlayerContracts;
  readonly bars: ReturnType<typeof layOutBars<Contract>>;
  readonly barsPx: number;
  readonly heightPx: number;
  readonly decision: NonNullable<ReturnType<Decisions["get"]>> | undefined;
  readonly top: number;
  readonly index: number;
  readonly count: number;
  readonly teams: ReadonlyMap<string, Team>;
}

const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { row, bars, barsPx, heightPx, decision, top, index, count, teams, now, onOpen } = props;
  const teamIds = row.contracts.flatMap(({ teamId }) => teamId ?? []);
  const teamNames = [...new Set(teamIds.map((teamId) => nameTeam(teams, teamId, TEXTS.noTeam)))];
  return (
    <li
      className={classes.row}
      style={{ transform: `translateY(${top}px)`, height: heightPx }}
      aria-posinset={index + 1}
      aria-setsize={count}
    >
      <div className={classes.name}>
        <div className={classes.ign}>{row.ign}</div>
        <div className={classes.teams}>{teamNames.length === 0 ? TEXTS.noTeam : teamNames.join(", ")}</div>
        {decision !== undefined && <DecisionNote decision={decision} now={now} />}
      </div>
      <div className={classes.bars} style={{ height: barsPx }}>
        <svg className={classes.drawing} aria-hidden>
          {bars.map((bar) => (
            <BarShape key={bar.contract.id} bar={bar} now={now} />
          ))}
        </svg>
        {bars.map((bar) => (
          <BarButton
            key={bar.contract.id}
            bar={bar}
            now={now}
            teamName={teams.get(bar.contract.teamId ?? "")?.name}
            onOpen={onOpen}
          />
        ))}
      </div>
    </li>
  );
});
