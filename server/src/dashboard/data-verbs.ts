/** The verbs of what staff keep: for each kind the same few, made of its rules, and the steps that are special to it. Each write is one transaction. */
import { listContracts } from "@lineup/api/contracts";
import { ActionError } from "@lineup/api/dashboard/action";
import type { SomeResource } from "@lineup/api/endpoints";
import { ApiError } from "@lineup/api/errors";
import { isIdOf } from "@lineup/api/ids";
import { SORTED_CHARACTERS_MAX, type SortOrder, type SortParameter } from "@lineup/api/parameters";
import { listPlayers } from "@lineup/api/players";
import { listProspects } from "@lineup/api/prospects";
import type { RecordOf } from "@lineup/api/resource";
import { listRoster } from "@lineup/api/roster";
import { listSchedule } from "@lineup/api/schedule";
import { listTeams } from "@lineup/api/teams";
import { erasePerson, previewErasure } from "../erasure/erase-person.ts";
import { sweepErasures } from "../erasure/sweep.ts";
import type { VerbContext } from "../resources/context.ts";
import { contractRules, renewalOf, signing, terminating } from "../resources/contracts/contract-rules.ts";
import { selectContracts } from "../resources/contracts/contract-store.ts";
import { playerRules } from "../resources/players/player-rules.ts";
import { selectPlayers } from "../resources/players/player-store.ts";
import { prospectRules, signProspect } from "../resources/prospects/prospect-rules.ts";
import { prospectStore } from "../resources/prospects/prospect-store.ts";
import {
  changeRecord,
  createRecord,
  type Dependents,
  deleteRecord,
  type RecordRules,
  requireRecord,
  showRecord,
  tell,
  type Written,
} from "../resources/record-writes.ts";
import { movePlayer, rosterRules, undoMove } from "../resources/roster/roster-moves.ts";
import { listEntries, selectRoster } from "../resources/roster/roster-store.ts";
import { scheduleRules, takeStep } from "../resources/schedule/schedule-rules.ts";
import { selectSchedule } from "../resources/schedule/schedule-store.ts";
import { teamRules } from "../resources/teams/team-rules.ts";
import { teamStore } from "../resources/teams/team-store.ts";
import type { List, Position } from "../store/list.ts";
import { StoreError } from "../store/store-error.ts";
import type { ActionVerbs, MemberContext } from "./context.ts";

type Values = Readonly<Record<string, unknown>>;
interface OfRecord {
  readonly path: { readonly recordId: string };
}
interface Seen {
  readonly updatedAt: number;
}

/** In a transaction of the organization, at the moment at which its turn has come. */
function write<B, T>(
  run: (context: VerbContext, recordId: string, body: B) => Promise<Written<T>>,
): (member: MemberContext, input: OfRecord & { readonly body: B }) => Promise<T> {
  return ({ tools, orgId, origin }, { path, body }) =>
    tools.store.writeOrg(orgId, origin, async (org) => {
      const context = { org, now: tools.now() };
      return tell(context, await run(context, path.recordId, body));
    });
}

function read<T>(
  run: (context: VerbContext, recordId: string) => Promise<T>,
): (member: MemberContext, input: OfRecord) => Promise<T> {
  return ({ tools, orgId, visit }, { path }) => run({ org: tools.store.org(orgId), now: visit.now }, path.recordId);
}

function get<R extends SomeResource>(rules: RecordRules<R>) {
  return read((context, id) => showRecord(context, rules, id));
}

function create<R extends SomeResource>(rules: RecordRules<R>) {
  const run = write((context, _, body: Values) => createRecord(context, rules, body));
  return (member: MemberContext, { body }: { readonly body: Values }) => run(member, { path: { recordId: "" }, body });
}

function update<R extends SomeResource>(rules: RecordRules<R>) {
  return write((context, id, { updatedAt, ...given }: Seen & Values) =>
    changeRecord(context, rules, id, () => given, updatedAt),
  );
}

function remove<R extends SomeResource>(rules: RecordRules<R>) {
  return write((context, id, { updatedAt }: Seen) => deleteRecord(context, rules, id, updatedAt));
}

const NOTHING_GOES_ALONG: Dependents = { deletes: [], changes: [], refusal: null };

function preview<R extends SomeResource>(rules: RecordRules<R>) {
  return read(async (context, id) => {
    const record = await requireRecord(context, rules, id);
    const found = (await rules.findDependents?.(context, record)) ?? NOTHING_GOES_ALONG;
    const some = (counts: Dependents["deletes"]) => counts.filter(({ count }) => count > 0);
    return { deletes: some(found.deletes), changes: some(found.changes), refusal: found.refusal };
  });
}

const PAGE_DEFAULT = 100;

interface ListQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: SortOrder | undefined;
}

/** A page; its cursor is the id of the last record, behind which the next begins. `usual` says what is sorted by where nothing is asked for. */
function list<R extends SomeResource, Q extends ListQuery>(
  rules: RecordRules<R>,
  usual: SortParameter,
  listOf: (context: VerbContext, query: never) => List<RecordOf<R>>,
) {
  return async ({ tools, orgId, visit }: MemberContext, { query }: { readonly query: Q }) => {
    const context = { org: tools.store.org(orgId), now: visit.now };
    const { cursor, limit = PAGE_DEFAULT, sort } = query;
    const field = sort?.field ?? usual.usualField;
    const after = cursor === undefined ? undefined : await findPosition(context, rules, cursor, field);
    const { items, next } = await listOf(context, query as never).readPage({ limit, after });
    return { items: [...items], nextCursor: next?.id ?? null };
  };
}

async function findPosition<R extends SomeResource>(
  context: VerbContext,
  rules: RecordRules<R>,
  id: string,
  field: string,
): Promise<Position> {
  // Ids stay as they are, also of what is gone by now.
  if (field === "id" && isIdOf(rules.store.resource.kind, id)) return { id, value: null };
  const record = (await showRecord(context, rules, id).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const message = "is not where a page ended, or that record is gone; begin again without it";
    throw new ActionError("VALIDATION_ERROR", `cursor ${message}.`, [{ field: "cursor", message }]);
  })) as Values;
  return { id, value: sortValueOf(record[field]) };
}

/** As the database has it. */
function sortValueOf(value: unknown): Position["value"] {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  return typeof value === "string" ? [...value].slice(0, SORTED_CHARACTERS_MAX).join("") : null;
}

function scheduleStep(step: Parameters<typeof takeStep>[0]) {
  return write((context, id, { updatedAt, ...given }: Seen & Parameters<typeof takeStep>[1]) =>
    changeRecord(context, scheduleRules, id, takeStep(step, given), updatedAt),
  );
}

export const DATA_VERBS = {
  listPlayers: list(playerRules, listPlayers.query.sort, ({ org }, query) => selectPlayers(org, query)),
  getPlayer: get(playerRules),
  createPlayer: create(playerRules),
  updatePlayer: update(playerRules),
  previewPlayerDeletion: preview(playerRules),
  deletePlayer: remove(playerRules),
  listAssignments: read(async (context, id) => {
    const { id: playerId } = await requireRecord(context, playerRules, id);
    return { items: await listEntries(context.org, playerId) };
  }),
  movePlayer: write(movePlayer),
  undoMove: write((context, id, { updatedAt }) => undoMove(context, id, updatedAt)),

  listTeams: list(teamRules, listTeams.query.sort, ({ org }, query) => teamStore.list(org, query)),
  getTeam: get(teamRules),
  createTeam: create(teamRules),
  updateTeam: update(teamRules),
  previewTeamDeletion: preview(teamRules),
  deleteTeam: remove(teamRules),

  listRoster: list(rosterRules, listRoster.query.sort, ({ org }, query) => selectRoster(org, query)),
  getAssignment: get(rosterRules),
  updateAssignment: update(rosterRules),

  listSchedule: list(scheduleRules, listSchedule.query.sort, ({ org, now }, query) => selectSchedule(org, query, now)),
  getEvent: get(scheduleRules),
  createEvent: create(scheduleRules),
  updateEvent: update(scheduleRules),
  previewEventDeletion: preview(scheduleRules),
  deleteEvent: remove(scheduleRules),
  moveEvent: scheduleStep("moved"),
  postponeEvent: scheduleStep("postponed"),
  cancelEvent: scheduleStep("cancelled"),
  completeEvent: scheduleStep("completed"),

  listProspects: list(prospectRules, listProspects.query.sort, ({ org }, query) => prospectStore.list(org, query)),
  getProspect: get(prospectRules),
  createProspect: create(prospectRules),
  updateProspect: update(prospectRules),
  previewProspectDeletion: preview(prospectRules),
  deleteProspect: remove(prospectRules),
  signProspect: write(signProspect),

  listContracts: list(contractRules, listContracts.query.sort, ({ org, now }, query) =>
    selectContracts(org, query, now),
  ),
  getContract: get(contractRules),
  createContract: create(contractRules),
  updateContract: update(contractRules),
  previewContractDeletion: preview(contractRules),
  deleteContract: remove(contractRules),
  signContract: write((context, id, { updatedAt, signedAt = context.now }) =>
    changeRecord(context, contractRules, id, signing(signedAt, context.now), updatedAt),
  ),
  renewContract: write(async (context, id, { updatedAt, ...given }) => {
    const renewed = renewalOf(await requireRecord(context, contractRules, id, updatedAt), context.now);
    const signedAt = given.status === "active" ? context.now : null;
    return createRecord(context, contractRules, { ...renewed, ...given, signedAt });
  }),
  terminateContract: write((context, id, { updatedAt, terminatedAt = context.now }) =>
    changeRecord(context, contractRules, id, terminating(terminatedAt, context.now), updatedAt),
  ),

  previewErasure: async ({ tools, orgId }, { path }) => {
    const { people, ...counts } = await previewErasure(tools.store, orgId, path.recordId);
    return { people: [...people], ...counts };
  },

  erasePerson: async ({ tools, orgId, origin, visit }, { path }) => {
    const { store, requestLog } = tools;
    const { people, ...counts } = await erasePerson(store, orgId, path.recordId, origin, visit.now).catch(refuse);
    const { blocks, recorder } = requestLog;
    // What cannot be swept now is swept later; the person is erased all the same.
    const isSwept = await sweepErasures({ store, blocks, recorder }, visit.now).then(
      () => true,
      () => false,
    );
    return { people: [...people], ...counts, isSwept };
  },
} satisfies Partial<ActionVerbs>;

function refuse(error: unknown): never {
  throw error instanceof StoreError ? new ActionError("CONFLICT", error.message) : error;
}
