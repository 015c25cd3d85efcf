/** Written as it is, it could end its line and begin another. */
const BEYOND_ASCII = /[^ -~]/;

/** The headers of an answer beside those that every answer has. Made once for an answer that is cached, however often it is given. */
export class AnswerHeaders {
  /** Names and values in turn, as Node takes them. */
  readonly list: readonly string[];
  /** The same as lines of a head. */
  readonly lines: string;

  constructor(list: readonly string[]) {
    this.list = list;
    if (list.some((text) => BEYOND_ASCII.test(text))) throw new Error("A header is of printable ASCII.");
    let lines = "";
    for (let at = 0; at < list.length; at += 2) lines += `${list[at]}: ${list[at + 1]}\r\n`;
    // As one text: one that is still in parts would be put together anew with every head it becomes a part of.
    this.lines = Buffer.from(lines, "latin1").toString("latin1");
  }

  /** These and one more. */
  with(name: string, value: string): AnswerHeaders {
    return new AnswerHeaders([...this.list, name, value]);
  }
}

export const NO_HEADERS = new AnswerHeaders([]);
