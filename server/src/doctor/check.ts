/**
 * What `lineup doctor` is made of: checks, each of which looks at one thing and says what it found and what to do.
 *
 * What always holds: a check changes nothing. One that throws, or takes too long, is told as such and stops no other.
 */
import type { UsableConfig } from "../config.ts";
import { reasonOf } from "../store/store-error.ts";

export type State = "ok" | "warn" | "fail" | "skipped";

export interface Finding {
  readonly state: State;
  readonly found: string;
  /** With the command or the setting; of what is not right alone. */
  readonly todo?: string;
}

export interface Check {
  /** Stays the same over versions, for programs. */
  readonly id: string;
  readonly title: string;
  run(installation: Installation): Promise<Found> | Found;
}

export function makeCheck(id: string, title: string, run: Check["run"]): Check {
  return { id, title, run };
}

/** What a check comes to. */
export type Found = Finding | readonly Finding[];

export interface InstallationOptions extends UsableConfig {
  /** Of this command. */
  readonly version: string;
  /** Where a server of this machine answers; undefined where nobody can know. */
  readonly localUrl: string | undefined;
  /** Whether a server is known to run on the data folder. */
  readonly isHeld: boolean;
  /** What the world uses; undefined where nobody said. */
  readonly worldUrl: string | undefined;
  /** A backup, or a folder of them. */
  readonly backups: string | undefined;
}

/** What is looked at. */
export interface Installation extends InstallationOptions {
  /** What several checks stand on is read once, and not before one of them asks for it. */
  read<Facts>(reader: Reader<Facts>): Promise<Facts>;
}

type Reader<Facts> = (installation: Installation) => Promise<Facts>;

export function lookAt(options: InstallationOptions): Installation {
  const readings = new Map<unknown, Promise<unknown>>();
  const installation: Installation = {
    ...options,
    read<Facts>(reader: Reader<Facts>) {
      const reading = (readings.get(reader) as Promise<Facts> | undefined) ?? reader(installation);
      readings.set(reader, reading);
      return reading;
    },
  };
  return installation;
}

export interface Subject {
  readonly title: string;
  readonly checks: readonly Check[];
}

export interface ReportedFinding extends Finding {
  readonly id: string;
  readonly subject: string;
  readonly title: string;
}

const CHECK_WITHIN_MS = 15_000;
const SEE = 'See "Troubleshooting" in docs/operating.md.';

export const ok = (found: string): Finding => ({ state: "ok", found });
export const skipped = (found: string): Finding => ({ state: "skipped", found });
export const warning = (found: string, todo: string): Finding => ({ state: "warn", found, todo });
export const failure = (found: string, todo: string): Finding => ({ state: "fail", found, todo });

/** What is wrong, or that all is right. */
export function orOk(findings: readonly (Finding | undefined | false)[], found: string): Found {
  const wrong = findings.filter((finding) => typeof finding === "object");
  return wrong.length > 0 ? wrong : ok(found);
}

/** A message for the operator says first what is wrong and then what to do. */
export function splitAdvice(message: string, otherwise = SEE): Required<Pick<Finding, "found" | "todo">> {
  const end = /\. (?=["A-Z])/.exec(message);
  if (end === null) return { found: message, todo: otherwise };
  return { found: message.slice(0, end.index + 1), todo: message.slice(end.index + 2) };
}

export const UNREAD = "What it would look at could not be read.";

type MakeCheck<Facts> = (
  id: string,
  title: string,
  judge: (facts: Facts, installation: Installation) => Promise<Found> | Found,
) => Check;

/** Checks that judge what is read for several, where not all is said without it. That it could not be read, another one says. */
export function checkOf<Facts>(
  reader: Reader<Facts>,
  instead = UNREAD,
  judgeUnread: (installation: Installation) => Finding | undefined = () => undefined,
): MakeCheck<Facts> {
  return (id, title, judge) => ({
    id,
    title,
    run: async (installation) => {
      const found = judgeUnread(installation);
      if (found !== undefined) return found;
      let facts: Facts;
      try {
        facts = await installation.read(reader);
      } catch {
        return skipped(instead);
      }
      return judge(facts, installation);
    },
  });
}

/** One after another: while SQLite looks through a file nothing else goes on here, and a server that was being asked would seem late, or its clock wrong. */
export async function runChecks(
  subjects: readonly Subject[],
  installation: Installation,
  withinMs = CHECK_WITHIN_MS,
): Promise<ReportedFinding[]> {
  const found: ReportedFinding[] = [];
  for (const subject of subjects) {
    for (const check of subject.checks) {
      const findings = await runCheck(check, installation, withinMs);
      found.push(
        ...findings.map((finding) => ({ id: check.id, subject: subject.title, title: check.title, ...finding })),
      );
    }
  }
  return found;
}

async function runCheck(check: Check, installation: Installation, withinMs: number): Promise<readonly Finding[]> {
  try {
    return [await inTime(withinMs, (async () => check.run(installation))())].flat();
  } catch (error) {
    return [{ state: "fail", ...splitAdvice(reasonOf(error)) }];
  }
}

/** Rejects, in words for the operator, once it takes too long; what comes of it then is dropped. */
export async function inTime<Result>(withinMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `No answer within ${withinMs / 1_000} seconds (timeout). Look at what is asked, a disk, a database or the network, and run this again.`;
  const timer = setTimeout(() => reject(new Error(message)), withinMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** Shorter would be found in words that hold no secret. */
const SECRET_MIN = 4;
/** Letters alone may be a word of ours, digits alone a port; none of ours is longer. */
const MAY_BE_OURS = /^(\p{L}{1,15}|\p{N}{1,15})$/u;
const REASON = /\((?:[^()]|\([^()]*\))*\)|: .*/gs;

/**
 * Takes secrets out of a finding before anybody sees it.
 *
 * A password may be a word that Lineup uses itself: that of postgres://lineup:lineup@… is in every advice. So such a one is hidden where it can
 * stand: in an address, and in the reason that another program gave, which is in parentheses or behind a colon. Any other is hidden wherever it is.
 */
export function hideSecrets(finding: ReportedFinding, secrets: readonly string[]): ReportedFinding {
  // One may begin another, of which the rest would be left.
  const known = secrets.toSorted((a, b) => b.length - a.length);
  const everywhere = known.filter((secret) => secret.length >= SECRET_MIN && !MAY_BE_OURS.test(secret));
  const inReasons = known.filter(({ length }) => length >= SECRET_MIN);
  const hide = (text: string) =>
    replaceEach(
      replaceEach(text, everywhere, "…"),
      known.map((secret) => `:${secret}@`),
      ":…@",
    );
  const found = hide(finding.found).replaceAll(REASON, (reason) => replaceEach(reason, inReasons, "…"));
  return { ...finding, found, ...(finding.todo === undefined ? {} : { todo: hide(finding.todo) }) };
}

function replaceEach(text: string, what: readonly string[], by: string): string {
  return what.reduce((left, one) => left.replaceAll(one, by), text);
}
