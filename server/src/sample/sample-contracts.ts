/** The contracts of the sample: every state and kind, with ends spread over the coming year. */
import type { SampleCalendar } from "./sample-calendar.ts";
import { isStaff, personKey, SAMPLE_PEOPLE, type SamplePerson, type SampleRow, teamKey } from "./sample-people.ts";

interface ContractPlan {
  readonly status: "draft" | "pending" | "active" | "expired" | "terminated";
  readonly kind?: "trial" | "loan";
  /** In days from today; null for an open end. */
  readonly ends: number | null;
  readonly autoRenew?: boolean;
  /** In days ago, of a terminated one. */
  readonly terminated?: number;
}

/** How the contracts of those end who are not listed: active, at one of these days. */
const USUAL_ENDS = [3, 6, 11, 19, 27, 34, 45, 57, 63, 72, 88, 104, 130, 158, 185, 212, 240, 275, 300, 330, 352, 364];

const PLANS: Readonly<Record<string, readonly ContractPlan[]>> = {
  Nettle: [{ status: "active", kind: "trial", ends: 9 }],
  Pinecone: [{ status: "active", kind: "trial", ends: 16 }],
  Halcyon: [{ status: "active", kind: "loan", ends: 41 }],
  Undertow: [{ status: "active", kind: "loan", ends: 79 }],
  Driftwood: [{ status: "active", ends: 325 }],
  Apexa: [
    { status: "expired", kind: "trial", ends: -2 },
    { status: "pending", ends: 363 },
  ],
  Understeer: [{ status: "draft", ends: 290 }],
  Palewick: [
    { status: "expired", ends: -20 },
    { status: "pending", ends: 345 },
  ],
  Kestrelle: [{ status: "terminated", ends: 150, terminated: 14 }],
  Marrow: [{ status: "terminated", ends: 60, terminated: 280 }],
  Wayfarer: [{ status: "expired", ends: -410 }],
  // Stored as active although its end has passed, as nobody has looked at it since.
  Camber: [{ status: "active", ends: -1 }],
  Logbook: [{ status: "active", ends: null }],
  Sextant: [{ status: "active", ends: null, autoRenew: true }],
  Cartouche: [{ status: "draft", ends: 200 }],
  Ondine: [],
};

interface PlannedContract extends ContractPlan {
  readonly person: SamplePerson;
}

function listPlanned(): PlannedContract[] {
  let next = 0;
  return SAMPLE_PEOPLE.flatMap((person) => {
    const plans = PLANS[person.ign] ?? [
      { status: "active" as const, ends: USUAL_ENDS[next++ % USUAL_ENDS.length] ?? null, autoRenew: next % 5 === 0 },
    ];
    return plans.map((plan) => ({ ...plan, person }));
  });
}

/** What the person's last contract makes of them, as staff would have recorded it. */
export function contractStatusOf(person: SamplePerson): string {
  const last = listPlanned().findLast((contract) => contract.person === person);
  if (last === undefined) return "unsigned";
  if (last.status === "draft" || last.status === "pending") return "in_negotiation";
  return last.status;
}

export function makeContracts(calendar: SampleCalendar): SampleRow[] {
  return listPlanned().map(({ person, status, kind, ends, autoRenew, terminated }, index) => {
    const isComing = status === "draft" || status === "pending";
    const length = kind === "trial" ? 60 : 365;
    const starts = isComing ? 7 : Math.max(-person.joined, ends === null ? -person.joined : ends - length * 2);
    const last = person.team ?? person.before?.at(-1)?.[0];
    return {
      externalId: `contract-${2_001 + index}`,
      player: personKey(person),
      team: last === undefined ? null : teamKey(last),
      kind: kind ?? (isStaff(person) ? "staff" : "player"),
      status,
      startDate: calendar.at(starts),
      endDate: ends === null ? null : calendar.at(ends, 22),
      signedAt: isComing ? null : calendar.at(starts - 6, 14),
      terminatedAt: terminated === undefined ? null : calendar.at(-terminated, 11),
      autoRenew: autoRenew ?? false,
      noticePeriodDays: kind === "trial" ? 7 : [30, 60, 90][index % 3],
    };
  });
}
