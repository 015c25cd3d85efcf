/**
 * Bars over time, and the same figures as a table.
 *
 * BarSeries { label, steps, series, sayStep, height? }
 *   label    names the chart
 *   steps    oldest first: { at, values }, one value a series
 *   series   { name, tone }[]; told apart by order, tone and the legend's words
 *   sayStep  a step's words, such as sayDayAndTime(at); used in the table and in the bars' tooltips
 *   sayTick  shorter words for under the axis, such as sayTime; sayStep unless said
 *
 * Sparkline { values, label }  small bars of one series, oldest first; `label` says in words what they show
 */
import { Group, SegmentedControl, Table, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { TONE_COLORS, type Tone } from "../theme.ts";
import classes from "./bar-series.module.css";

export interface BarStep {
  readonly at: number;
  readonly values: readonly number[];
}

export interface BarSeriesProps {
  readonly label: string;
  readonly steps: readonly BarStep[];
  readonly series: readonly { readonly name: string; readonly tone: Tone }[];
  readonly sayStep: (at: number) => string;
  readonly sayTick?: (at: number) => string;
  /** Heads the table's first column. */
  readonly stepName: string;
  readonly height?: number;
}

const number = new Intl.NumberFormat("en");

export function BarSeries(props: BarSeriesProps) {
  const [view, setView] = useState("chart");
  return (
    <div>
      <Group justify="space-between" mb="xs" gap="xs">
        <Legend series={props.series} />
        <SegmentedControl
          size="xs"
          value={view}
          onChange={setView}
          aria-label={`${COMMON_TEXTS.view}: ${props.label}`}
          data={[
            { value: "chart", label: COMMON_TEXTS.showChart },
            { value: "table", label: COMMON_TEXTS.showTable },
          ]}
        />
      </Group>
      {view === "chart" ? <Bars {...props} /> : <FigureTable {...props} />}
    </div>
  );
}

function Legend({ series }: Pick<BarSeriesProps, "series">) {
  return (
    <Group gap="md" component="ul" className={classes.legend ?? ""}>
      {series.map(({ name, tone }) => (
        <Group key={name} gap={6} component="li">
          <span className={classes.swatch} data-tone={tone} style={{ "--tone": toneVariable(tone) }} />
          <Text size="xs">{name}</Text>
        </Group>
      ))}
    </Group>
  );
}

function Bars({ label, steps, series, sayStep, sayTick = sayStep, height = 160 }: BarSeriesProps) {
  const most = Math.max(1, ...steps.map(sumOf));
  const total = steps.reduce((sum, step) => sum + sumOf(step), 0);
  const ticks = pickTicks(steps);
  return (
    <div>
      <div className={classes.plot} style={{ height }} role="img" aria-label={`${label}: ${number.format(total)}`}>
        {total > 0 && <span className={classes.most}>{number.format(most)}</span>}
        {steps.map((step) => (
          <Tooltip
            key={step.at}
            label={sayBar(step, series, sayStep)}
            events={{ hover: true, focus: false, touch: true }}
          >
            <div className={classes.step}>
              {series.map(({ name, tone }, index) => (
                <div
                  key={name}
                  className={classes.part}
                  data-tone={tone}
                  style={{ height: `${((step.values[index] ?? 0) / most) * 100}%`, "--tone": toneVariable(tone) }}
                />
              ))}
            </div>
          </Tooltip>
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        {ticks.map((step) => (
          <span key={step.at}>{sayTick(step.at)}</span>
        ))}
      </div>
    </div>
  );
}

function FigureTable({ label, steps, series, sayStep, stepName, height = 160 }: BarSeriesProps) {
  const name = `${COMMON_TEXTS.showTable}: ${label}`;
  const maxHeight = height + 120;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className={classes.figures} style={{ maxHeight }} aria-label={name} tabIndex={0}>
      <Table verticalSpacing={4} aria-label={label} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{stepName}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {steps.toReversed().map((step) => (
            <Table.Tr key={step.at}>
              <Table.Th scope="row" fw={400}>
                {sayStep(step.at)}
              </Table.Th>
              {series.map(({ name }, index) => (
                <Table.Td key={name} ta="right">
                  {number.format(step.values[index] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

export interface SparklineProps {
  readonly values: readonly number[];
  readonly label: string;
}

const BAR = 3;
const HEIGHT = 22;

export function Sparkline({ values, label }: SparklineProps) {
  const most = Math.max(1, ...values);
  return (
    <svg
      className={classes.sparkline}
      viewBox={`0 0 ${values.length * BAR} ${HEIGHT}`}
      width={values.length * BAR}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar's place is what it is.
            key={index}
            x={index * BAR}
            y={HEIGHT - height}
            width={BAR - 1}
            height={height}
            data-empty={value === 0 || undefined}
          />
        );
      })}
    </svg>
  );
}

function sumOf(step: BarStep): number {
  return step.values.reduce((sum, value) => sum + value, 0);
}

function toneVariable(tone: Tone): string {
  return `var(--mantine-color-${TONE_COLORS[tone]}-text)`;
}

function sayBar(step: BarStep, series: BarSeriesProps["series"], sayStep: BarSeriesProps["sayStep"]): string {
  const figures = series.map(({ name }, index) => `${name} ${number.format(step.values[index] ?? 0)}`);
  return `${sayStep(step.at)}: ${figures.join(", ")}`;
}

/** At most four words under the axis, the first and the last among them. */
function pickTicks(steps: readonly BarStep[]): readonly BarStep[] {
  const last = steps.length - 1;
  const places = [0, Math.round(last / 3), Math.round((last * 2) / 3), last];
  return [...new Set(places)].flatMap((place) => steps[place] ?? []);
}
