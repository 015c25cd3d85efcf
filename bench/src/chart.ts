/**
 * The last run as a picture: of every case, how much of bare's throughput Lineup reaches. It stands on a ground of its own in light
 * and in dark, asks nothing of any other file, and says in its description what it shows.
 */
import type { CaseRatios } from "./ratios.ts";
import type { Report, ReportedCase } from "./report.ts";
import type { Spread } from "./statistics.ts";
import { formatRounds } from "./text-table.ts";

const WIDTH = 880;
const MARGIN = 28;
const LABELS_END = 212;
const BARS_START = 224;
const BARS_END = 640;
const CPU_AT = 752;
const P99_AT = 832;
const HEAD = 126;
const BAR = 11;
const GAP = 3;
const ROW_GAP = 13;
const SECTION = 34;

const STYLE = `
.ground { fill: #ffffff; stroke: #d1d9e0; }
.text { fill: #1f2328; } .muted { fill: #59636e; }
.embedded { fill: #0f62c4; } .together { fill: #b3590b; }
.track { fill: #eef1f4; } .bare { stroke: #1f2328; stroke-dasharray: 3 3; } .spread { stroke: #1f2328; }
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.title { font-size: 19px; font-weight: 600; } .small { font-size: 11.5px; } .strong { font-weight: 600; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
@media (prefers-color-scheme: dark) {
  .ground { fill: #0d1117; stroke: #3d444d; }
  .text { fill: #f0f6fc; } .muted { fill: #9da7b1; }
  .embedded { fill: #4f9dff; } .together { fill: #e2913c; }
  .track { fill: #1c2330; } .bare { stroke: #f0f6fc; } .spread { stroke: #f0f6fc; }
}`;

interface Bar {
  readonly kind: "embedded" | "together";
  readonly share: Spread;
}

interface Row {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly cpu: string;
  readonly p99: string;
}

interface Section {
  readonly title: string;
  /** What the dashed line is. */
  readonly whole: string;
  readonly rows: readonly Row[];
  readonly scaleMax: number;
}

export function renderChart(report: Report): string {
  const sections = sectionsOf(report.cases);
  const parts: string[] = [];
  let y = HEAD;
  for (const section of sections) {
    parts.push(...drawSection(section, y));
    y += heightOf(section);
  }
  const height = y + 56;
  const withTogether = report.cases.some(({ rounds }) => rounds.together !== undefined);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="bench-title bench-desc">`,
    `<title id="bench-title">Lineup's throughput as a share of bare node:http</title>`,
    `<desc id="bench-desc">${escapeText(describe(sections))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>`,
    text(MARGIN, 40, "text title", "How much of bare node:http is left"),
    text(
      MARGIN,
      61,
      "muted",
      "Requests a second with keys, limits, permissions, store and logs on, beside Node answering the",
    ),
    text(
      MARGIN,
      78,
      "muted",
      "same bytes from memory, in the same run. Thin lines: the least and the most of the rounds.",
    ),
    ...drawLegend(withTogether),
    ...parts,
    ...footerOf(report).map((line, index) => text(MARGIN, y + 18 + index * 17, "muted small", line)),
    "</svg>",
    "",
  ].join("\n");
}

function sectionsOf(cases: readonly ReportedCase[]): Section[] {
  const isWrite = ({ name }: ReportedCase) => name === "create" || name === "patch";
  const rowsOf = (some: readonly ReportedCase[]) => some.map(({ title, ratios }) => rowOf(title, ratios));
  const creates = cases.find(({ name }) => name === "create")?.ratios.toCommitLoop;
  const sections: Section[] = [
    section("Reads, refusals and the mix", "bare", rowsOf(cases.filter((one) => !isWrite(one)))),
    section("Writes, on the disk before the answer; bare writes nothing", "bare", rowsOf(cases.filter(isWrite))),
  ];
  if (creates !== undefined) {
    const row = { label: "creates", bars: [{ kind: "embedded", share: creates }], cpu: "", p99: "" } as const;
    sections.push(section("Creates a second, beside a plain SQLite loop of one-row transactions", "the loop", [row]));
  }
  return sections.filter(({ rows }) => rows.length > 0);
}

function section(title: string, whole: string, rows: readonly Row[]): Section {
  const most = Math.max(1, ...rows.flatMap(({ bars }) => bars.map(({ share }) => share.max)));
  return { title, whole, rows, scaleMax: Math.min(most * 1.02, Math.max(1.15, medianMax(rows) * 1.1)) };
}

function medianMax(rows: readonly Row[]): number {
  return Math.max(...rows.flatMap(({ bars }) => bars.map(({ share }) => share.median)));
}

function rowOf(label: string, { lineup, together }: CaseRatios): Row {
  const bars: Bar[] = [{ kind: "embedded", share: lineup.requestsPerSecond }];
  if (together !== undefined) bars.push({ kind: "together", share: together.requestsPerSecond });
  const times = ({ median }: Spread) => `${median.toFixed(median < 10 ? 2 : 0)} ×`;
  return { label, bars, cpu: times(lineup.cpuUsPerRequest), p99: times(lineup.p99Ms) };
}

function heightOf({ rows }: Section): number {
  return SECTION + rows.reduce((sum, row) => sum + rowHeight(row), 0) + 14;
}

function rowHeight({ bars }: Row): number {
  return bars.length * (BAR + GAP) - GAP + ROW_GAP;
}

function drawSection({ title, whole, rows, scaleMax }: Section, top: number): string[] {
  const scale = (share: number) => BARS_START + (Math.min(share, scaleMax) / scaleMax) * (BARS_END - BARS_START);
  const parts = [text(MARGIN, top + 14, "text strong", title)];
  if (rows.some(({ cpu }) => cpu !== "")) {
    parts.push(text(CPU_AT, top + 14, "muted small end", "CPU"), text(P99_AT, top + 14, "muted small end", "p99"));
  }
  let y = top + SECTION;
  const first = y - 4;
  for (const row of rows) {
    parts.push(...drawRow(row, y, scale));
    y += rowHeight(row);
  }
  const end = y - ROW_GAP + 4;
  const at = scale(1);
  parts.push(`<line class="bare" x1="${round(at)}" x2="${round(at)}" y1="${first}" y2="${end}"/>`);
  parts.push(text(at, first - 3, "muted small middle", whole));
  return parts;
}

function drawRow({ label, bars, cpu, p99 }: Row, y: number, scale: (share: number) => number): string[] {
  const middle = y + (bars.length * (BAR + GAP) - GAP) / 2 + 4.5;
  const parts = [text(LABELS_END, middle, "text end", label)];
  for (const [index, { kind, share }] of bars.entries()) {
    const top = y + index * (BAR + GAP);
    const width = Math.max(1.5, scale(share.median) - BARS_START);
    parts.push(
      `<rect class="track" x="${BARS_START}" y="${top}" width="${BARS_END - BARS_START}" height="${BAR}" rx="2"/>`,
      `<rect class="${kind}" x="${BARS_START}" y="${top}" width="${round(width)}" height="${BAR}" rx="2"/>`,
      `<line class="spread" x1="${round(scale(share.min))}" x2="${round(scale(share.max))}" y1="${top + BAR / 2}" y2="${top + BAR / 2}"/>`,
      text(BARS_END + 10, top + BAR - 1, "text small strong", share.median.toFixed(2)),
    );
  }
  if (cpu !== "") parts.push(text(CPU_AT, middle, "muted end", cpu), text(P99_AT, middle, "muted end", p99));
  return parts;
}

function drawLegend(withTogether: boolean): string[] {
  const y = 104;
  const swatch = (x: number, kind: string) =>
    `<rect class="${kind}" x="${x}" y="${y - 9}" width="18" height="10" rx="2"/>`;
  const parts = [swatch(BARS_START, "embedded"), text(BARS_START + 25, y, "text small", "embedded store")];
  if (withTogether) {
    parts.push(swatch(BARS_START + 134, "together"), text(BARS_START + 159, y, "text small", "PostgreSQL + Redis"));
  }
  parts.push(`<line class="bare" x1="${BARS_START + 292}" x2="${BARS_START + 292}" y1="${y - 11}" y2="${y + 3}"/>`);
  parts.push(text(BARS_START + 300, y, "text small", "all of it"));
  parts.push(text(P99_AT, y, "muted small end", "embedded, times bare's"));
  return parts;
}

function footerOf({ machine, at, rounds, connections, cores }: Report): string[] {
  const pinned = cores === undefined ? "" : ", one core for the servers, one for the load";
  const commit = `commit ${machine.commit ?? "unknown"}${machine.isModified ? ", modified" : ""}`;
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}`,
    `${at.slice(0, 10)}, ${commit}, ${formatRounds(rounds)}, ${connections} connections${pinned}`,
  ];
}

function describe(sections: readonly Section[]): string {
  const say = ({ label, bars }: Row) =>
    `${label}: ${bars.map(({ kind, share }) => `${share.median.toFixed(2)}${kind === "together" ? " on PostgreSQL and Redis" : ""}`).join(", ")}`;
  return sections.map(({ title, rows }) => `${title}. ${rows.map(say).join("; ")}.`).join(" ");
}

function text(x: number, y: number, style: string, content: string): string {
  return `<text class="${style}" x="${round(x)}" y="${round(y)}">${escapeText(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
