/**
 * A change of records by one action. What it changed is shown when it is done, with whatever changed along.
 *
 *   const write = useRecordWrite("updatePlayer", { says: "Saved.", undo: "fields" });
 *   write.mutate({ path: { orgId, recordId }, body: { status: "benched", updatedAt } });
 *
 *   undo        "fields": an Undo button writes the fields' values of before; or a function that says what to call, of the record as it was
 *   optimistic  what is shown until the records show it, or the write is refused
 *   failure     "shown": the page shows `write.error`; else a toast does
 *
 * Where somebody else has changed the record meanwhile nothing was written: both versions are shown, and the person decides.
 */
import type { ActionName, ActionResult } from "@lineup/api/dashboard/actions";
import { type QueryClient, type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ActionInput, callAction } from "../client/call-action.ts";
import { RequestFailure } from "../client/request-failure.ts";
import { useOrganization } from "../client/session.ts";
import { RECORD_TEXTS } from "../texts/record-texts.ts";
import { showConflict } from "./conflicts.ts";
import { takeTurn } from "./own-turns.ts";
import { catchUp, findVersion, type RecordSet, recordsKey } from "./record-cache.ts";
import { type AnyRecord, type Kind, kindOfId } from "./record-kinds.ts";
import { showFields } from "./shown-layers.ts";

/** What takes a change back. */
export type Step = { [N in ActionName]: { readonly name: N; readonly input: ActionInput<N> } }[ActionName];

export interface RecordWriteOptions<N extends ActionName> {
  readonly says?: string | ((result: ActionResult<N>, input: ActionInput<N>) => string);
  readonly undo?:
    | "fields"
    | ((result: ActionResult<N>, input: ActionInput<N>, before: AnyRecord | undefined) => Step | undefined);
  readonly optimistic?: (input: ActionInput<N>) => object | undefined;
  readonly failure?: "toast" | "shown";
  readonly onDone?: (result: ActionResult<N>, input: ActionInput<N>) => void;
}

interface Write<N extends ActionName> {
  readonly name: N;
  readonly options: RecordWriteOptions<N>;
  input: ActionInput<N>;
  /** The record that it changes: as it was seen, then as one's own writes before this one have made it. Never what is only shown. */
  before: AnyRecord | undefined;
}

interface PlainInput {
  readonly path?: { readonly recordId?: string };
  readonly body?: Readonly<Record<string, unknown>>;
}

export function useRecordWrite<N extends ActionName>(
  name: N,
  options: RecordWriteOptions<N> = {},
): UseMutationResult<ActionResult<N>, RequestFailure, ActionInput<N>> {
  const { id: orgId } = useOrganization();
  const client = useQueryClient();
  return useMutation<ActionResult<N>, RequestFailure, ActionInput<N>>({
    // A conflict is told by its dialog.
    meta: { failure: "shown" },
    mutationFn: (input) => writeRecord(client, orgId, name, input, options),
  });
}

/** Fails where nothing was written, once that was told. */
export async function writeRecord<N extends ActionName>(
  client: QueryClient,
  orgId: string,
  name: N,
  input: ActionInput<N>,
  options: RecordWriteOptions<N>,
): Promise<ActionResult<N>> {
  const write = beginWrite(client, orgId, { name, options, input });
  const { recordId } = (input as PlainInput).path ?? {};
  const shown = options.optimistic?.(input);
  const hide = recordId === undefined || shown === undefined ? undefined : showFields(recordId, shown);
  try {
    return await carryOut(client, orgId, write, hide);
  } catch (error) {
    hide?.();
    if (error instanceof RequestFailure) await tellRefusal(client, orgId, write, error);
    throw error;
  }
}

function beginWrite<N extends ActionName>(
  client: QueryClient,
  orgId: string,
  write: Omit<Write<N>, "before">,
): Write<N> {
  return { ...write, before: findRecord(client, orgId, (write.input as PlainInput).path?.recordId) };
}

/** `onCaughtUp` is called when the records show what was written. */
async function carryOut<N extends ActionName>(
  client: QueryClient,
  orgId: string,
  write: Write<N>,
  onCaughtUp?: () => void,
): Promise<ActionResult<N>> {
  const result = await callInTurn(write);
  await catchUp(client, orgId);
  onCaughtUp?.();
  // It was written, whether or not the script that says so can be loaded.
  await sayDone(client, orgId, write, result).catch(() => undefined);
  write.options.onDone?.(result, write.input);
  return result;
}

async function tellRefusal<N extends ActionName>(
  client: QueryClient,
  orgId: string,
  { name, options, input, before }: Write<N>,
  failure: RequestFailure,
): Promise<void> {
  await catchUp(client, orgId);
  if (failure.code === "CONFLICT" && failure.current !== undefined) {
    // The same change of the version that stands now.
    const retry = async (updatedAt: number) => {
      await carryOut(client, orgId, beginWrite(client, orgId, { name, options, input: nameVersion(input, updatedAt) }));
    };
    const kinds = MOVES.includes(name) ? MOVED_KINDS : [kindOfId(String(failure.current.id))];
    const seen = findSeen(client, orgId, input as PlainInput, kinds) ?? before;
    showConflict({ id: crypto.randomUUID(), seen, current: failure.current, input: input as PlainInput, retry });
  } else if (options.failure !== "shown") await tell(failure);
}

function nameVersion<N extends ActionName>(input: ActionInput<N>, updatedAt: number): ActionInput<N> {
  return { ...input, body: { ...(input as PlainInput).body, updatedAt } } as ActionInput<N>;
}

/** These name the version of a player's assignment, which says nothing of the player's own. */
const MOVES: readonly ActionName[] = ["movePlayer", "undoMove"];
/** Without an assignment it is the player's after all; and what was seen may be the one, what stands now the other. */
const MOVED_KINDS: readonly Kind[] = ["assignment", "player"];

/** Whatever says which version of the record was seen waits for one's own writes of it. */
function callInTurn<N extends ActionName>(write: Write<N>): Promise<ActionResult<N>> {
  const { name, input } = write;
  const { path, body } = input as PlainInput;
  const { recordId } = path ?? {};
  if (recordId === undefined || typeof body?.updatedAt !== "number" || MOVES.includes(name))
    return callAction(name, input);
  return takeTurn(recordId, body.updatedAt, (last) => {
    if (last !== undefined) Object.assign(write, { before: last, input: nameVersion(input, last.updatedAt) });
    return callAction(name, write.input);
  });
}

async function sayDone<N extends ActionName>(
  client: QueryClient,
  orgId: string,
  write: Write<N>,
  result: ActionResult<N>,
): Promise<void> {
  const { says } = write.options;
  const undo = findUndo(write, result);
  if (says === undefined && undo === undefined) return;
  const { showDone } = await import("../ui/toasts.ts");
  const message = typeof says === "function" ? says(result, write.input) : (says ?? RECORD_TEXTS.saved);
  const about = nameCard(write.before) ?? (write.input as PlainInput).path?.recordId;
  showDone(message, undo && { label: RECORD_TEXTS.undo, run: () => void takeStep(client, orgId, undo) }, about);
}

/** An assignment and its player are one card: what was done to either is no longer the last thing done to the other. */
function nameCard(record: AnyRecord | undefined): string | undefined {
  return record !== undefined && kindOfId(record.id) === "assignment" && "playerId" in record
    ? (record.playerId ?? undefined)
    : undefined;
}

function findUndo<N extends ActionName>(
  { name, options: { undo }, input, before }: Write<N>,
  result: ActionResult<N>,
): Step | undefined {
  if (undo !== "fields") return undo?.(result, input, before);
  if (before === undefined) return undefined;
  const { updatedAt: _, ...written } = (input as PlainInput).body ?? {};
  const values = Object.fromEntries(Object.keys(written).map((field) => [field, before[field as keyof AnyRecord]]));
  const { updatedAt } = result as unknown as AnyRecord;
  return { name, input: { ...input, body: { ...values, updatedAt } } } as unknown as Step;
}

/** Takes a change back. What others changed since then stays: then nothing is written, and why is said. */
async function takeStep(client: QueryClient, orgId: string, { name, input }: Step): Promise<void> {
  const { showDone } = await import("../ui/toasts.ts");
  try {
    await callInTurn({ name, input: input as never, options: {}, before: undefined });
    showDone(RECORD_TEXTS.undone);
  } catch (error) {
    await tell(isOutdated(error) ? new RequestFailure(error.code, RECORD_TEXTS.undoneTooLate, error.requestId) : error);
  }
  await catchUp(client, orgId);
}

/** What the server advises, to compare and save again, is for who has a form before them. */
function isOutdated(error: unknown): error is RequestFailure {
  return error instanceof RequestFailure && error.code === "CONFLICT" && error.current !== undefined;
}

export async function tell(error: unknown): Promise<void> {
  if (!(error instanceof RequestFailure)) throw error;
  // The pages lead to sign-in by themselves.
  if (error.code === "NOT_SIGNED_IN") return;
  const { showFailure } = await import("../ui/toasts.ts");
  showFailure(error);
}

/** The version that a write was about, of the first of these kinds that has it. */
function findSeen(
  client: QueryClient,
  orgId: string,
  { path, body }: PlainInput,
  kinds: readonly (Kind | undefined)[],
): AnyRecord | undefined {
  const isSeen = (record: AnyRecord) =>
    record.updatedAt === body?.updatedAt &&
    (record.id === path?.recordId || ("playerId" in record && record.playerId === path?.recordId));
  const found = kinds.map((kind) => kind && findVersion(client, orgId, kind, isSeen));
  return found.find((record) => record !== undefined);
}

function findRecord(client: QueryClient, orgId: string, id: string | undefined): AnyRecord | undefined {
  const kind = id === undefined ? undefined : kindOfId(id);
  if (id === undefined || kind === undefined) return undefined;
  return client.getQueryData<RecordSet<Kind>>(recordsKey(orgId, kind))?.byId.get(id);
}
