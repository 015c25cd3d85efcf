/** Which verb answers which endpoint, and who makes the writes that requests ask for. A name without a verb, or a verb without a name, does not compile. */
import { contractResource } from "@lineup/api/contracts";
import type { AnyEndpoint, EndpointName, SomeResource } from "@lineup/api/endpoints";
import { headerError } from "@lineup/api/errors";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import type {
  FaultFinder,
  Input,
  MakeWrite,
  ReadingEndpoint,
  Verb,
  VerbContext,
  WantedWrite,
  WritingEndpoint,
  Written,
} from "./context.ts";
import {
  findContract,
  findNextChangeOfContract,
  findNextContractChange,
  selectContracts,
  selectExpiringContracts,
} from "./contracts/contract-store.ts";
import { writeOnce } from "./idempotent-writes.ts";
import { findPlayerBodyFaults, playerRules } from "./players/player-rules.ts";
import { selectPlayers } from "./players/player-store.ts";
import { findProspectBodyFaults, prospectRules } from "./prospects/prospect-rules.ts";
import { prospectStore } from "./prospects/prospect-store.ts";
import { changeRecord, createRecord, notFound, type RecordRules, requireRecord, tell } from "./record-writes.ts";
import { selectRoster } from "./roster/roster-store.ts";
import { findNextScheduleChange, selectSchedule } from "./schedule/schedule-store.ts";
import { teamStore } from "./teams/team-store.ts";

const get =
  <R extends SomeResource>(rules: RecordRules<R>) =>
  (context: VerbContext, { id }: Pick<Input, "id">) =>
    requireRecord(context, rules, id);

const create =
  <R extends SomeResource>(rules: RecordRules<R>) =>
  async (context: VerbContext, { body }: Pick<Input, "body">) =>
    tell(context, await createRecord(context, rules, body));

const update =
  <R extends SomeResource>(rules: RecordRules<R>) =>
  async (context: VerbContext, { id, body }: Pick<Input, "id" | "body">) =>
    tell(context, await changeRecord(context, rules, id, () => body));

const getContract: Verb<"getContract"> = async ({ org, now }, { id }) => {
  const contract = await findContract(org, id, now);
  if (contract === undefined) throw notFound(contractResource);
  return contract;
};

export const VERBS: { readonly [N in ReadingEndpoint | WritingEndpoint]: Verb<N> } = {
  listPlayers: ({ org }, { query }) => selectPlayers(org, query),
  getPlayer: get(playerRules),
  createPlayer: create(playerRules),
  updatePlayer: update(playerRules),
  listTeams: ({ org }, { query }) => teamStore.list(org, query),
  listRoster: ({ org }, { query }) => selectRoster(org, query),
  listSchedule: ({ org, now }, { query }) => selectSchedule(org, query, now),
  listProspects: ({ org }, { query }) => prospectStore.list(org, query),
  getProspect: get(prospectRules),
  createProspect: create(prospectRules),
  updateProspect: update(prospectRules),
  listContracts: ({ org, now }, { query }) => selectContracts(org, query, now),
  getContract,
  listExpiringContracts: ({ org, now }, { query }) => selectExpiringContracts(org, query, now),
};

type UpdatingEndpoint = Extract<AnyEndpoint, { method: "PATCH" }>["name"];

/** What shows the record that is to be updated. An update without one does not compile. */
const READ_BEFORE: { readonly [N in UpdatingEndpoint]: Verb<"getPlayer"> | Verb<"getProspect"> } = {
  updatePlayer: VERBS.getPlayer,
  updateProspect: VERBS.getProspect,
};

export function writerOf(store: Store, now: () => number): MakeWrite {
  return (wanted) =>
    store.writeOrg(wanted.orgId, wanted.origin, (org) => {
      const context = { org, now: now() };
      if (wanted.idempotencyKey === undefined) return makeOne(context, wanted);
      return writeOnce(context, wanted, wanted.idempotencyKey, () => makeOne(context, wanted));
    });
}

async function makeOne(context: VerbContext, { name, id, query, body, isExpected }: WantedWrite): Promise<Written> {
  const findBefore = () => READ_BEFORE[name as UpdatingEndpoint](context, { id, query: {}, body: undefined });
  if (isExpected !== undefined && !isExpected(await findBefore())) {
    throw headerError(
      "If-Match",
      "names none of the record as it is now, so nothing was written; read the record again, and send its new ETag with what you then want to change",
    );
  }
  // A verb's own types tie its input to its endpoint's record; here, where all are alike, they cannot be told apart.
  const verb = VERBS[name] as (context: VerbContext, input: Input) => Promise<{ readonly id: string }>;
  const made = await verb(context, { id, query, body });
  return { id: made.id, json: JSON.stringify(made) };
}

export const FAULT_FINDERS: Readonly<Partial<Record<EndpointName, FaultFinder>>> = {
  createPlayer: findPlayerBodyFaults,
  updatePlayer: findPlayerBodyFaults,
  createProspect: findProspectBodyFaults,
  updateProspect: findProspectBodyFaults,
};

/** What is read and not timeless. */
type TimedEndpoint = Extract<AnyEndpoint, { method: "GET"; timeless: false }>["name"] & ReadingEndpoint;

/**
 * The next moment at which the endpoint's answers may change without a write; the id is the path's. Too early is only slower, never wrong.
 * Undefined where it would take too long to find out. Whatever the organization holds, the look at it is bounded.
 */
type FindNextChange = (org: OrgStore, now: number, id: string) => Promise<number | undefined>;

/** When what time changes has to be read again. A timed endpoint that is not here does not compile. */
export const NEXT_CHANGES: { readonly [N in TimedEndpoint]: FindNextChange } = {
  listSchedule: findNextScheduleChange,
  listContracts: findNextContractChange,
  listExpiringContracts: findNextContractChange,
  getContract: findNextChangeOfContract,
};
