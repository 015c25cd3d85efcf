/** What is wrong with an import, so that the one who made the files can find each place and mend it. */
import { csvNameOf, TABLE_NAMES } from "./tables.ts";

/** As many as a person will read at once; the others are counted. */
const FAULTS_MAX = 100;
const VALUE_SHOWN_MAX = 80;

export interface ImportFault {
  readonly file: string;
  /** The physical line in the file, counted from 1; null where it is the whole file. */
  readonly line: number | null;
  readonly column: string | null;
  readonly value: string | null;
  readonly message: string;
}

/** Refuses an import. Nothing was written. */
export class ImportFaults extends Error {
  readonly faults: readonly ImportFault[];
  /** All of them, those not kept included. */
  readonly total: number;

  constructor(faults: readonly ImportFault[], total: number) {
    super(describeFaults(faults, total));
    this.name = "ImportFaults";
    this.faults = faults;
    this.total = total;
  }
}

/** Collects faults: the first ones whole, the rest by number, so that a file of a million faulty lines stays small. */
export class FaultList {
  readonly #max: number;
  /** With the row that each is in: in a file of one line the line does not say it. */
  #faults: { readonly fault: ImportFault; readonly row: string | undefined }[] = [];
  #total = 0;

  constructor(max = FAULTS_MAX) {
    this.#max = max;
  }

  /** A list that begins with the faults of this one and leaves it alone. */
  copy(): FaultList {
    const copy = new FaultList(this.#max);
    copy.#faults = [...this.#faults];
    copy.#total = this.#total;
    return copy;
  }

  get total(): number {
    return this.#total;
  }

  /** More are only counted: nobody need find words for them. */
  get isFull(): boolean {
    return this.#faults.length >= this.#max;
  }

  /** `row` is a name that no two rows of the import share; what is about no one row has none. */
  add(fault: Partial<ImportFault> & Pick<ImportFault, "file" | "message">, row?: string): void {
    this.#total += 1;
    if (this.isFull) return;
    this.#faults.push({ fault: { line: null, column: null, value: null, ...fault }, row });
  }

  /** Those that were not only counted. Row → what is wrong with it; of what is about no one row, file and line. */
  groupByRow(): ReadonlyMap<string, readonly ImportFault[]> {
    const byRow = Map.groupBy(this.#faults, ({ fault, row }) => row ?? `${fault.file} ${fault.line}`);
    return new Map([...byRow].map(([row, found]) => [row, found.map(({ fault }) => fault)]));
  }

  /** The refusal, with faults in the order in which people expect the files, and of their lines. */
  toError(): ImportFaults {
    const files = TABLE_NAMES.map(csvNameOf);
    const place = (fault: ImportFault) => files.indexOf(fault.file);
    const faults = this.#faults.map(({ fault }) => fault);
    const sorted = faults.toSorted((a, b) => place(a) - place(b) || (a.line ?? 0) - (b.line ?? 0));
    return new ImportFaults(sorted, this.#total);
  }
}

/** A value from a file, made fit to appear in a message. */
export function showValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const visible = text.toWellFormed().replaceAll(/\p{Cc}/gu, "\u{FFFD}");
  return visible.length > VALUE_SHOWN_MAX ? `${visible.slice(0, VALUE_SHOWN_MAX)}…` : visible;
}

function describeFaults(faults: readonly ImportFault[], total: number): string {
  const count = total === 1 ? "one fault" : `${total} faults`;
  const lines = faults.map(describeFault);
  if (total > faults.length) lines.push(`and ${total - faults.length} more`);
  return `Nothing was imported: the source has ${count}.\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function describeFault(fault: ImportFault): string {
  const place = [fault.file];
  if (fault.line !== null) place.push(`line ${fault.line}`);
  if (fault.column !== null) place.push(`column ${fault.column}`);
  if (fault.value !== null) place.push(`value "${fault.value}"`);
  return `${place.join(", ")}: ${fault.message}`;
}
