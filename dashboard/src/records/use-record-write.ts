/**
 * A change of records by one action. What it changed is shown when it is done, with whatever changed along.
 *
 *   const write = useRecordWrite("updatePlayer", { says: "Saved.", undo: "fields" });
 *   write.mutate({ path: { orgId, recordId }, body: { status: "benched", updatedAt } });
 *
 *   undo        "fields": an Undo button writes the fields' values of before; or a function that says what to call
 *   optimistic  what is shown at once, and taken back if the write is refused
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
import { catchUp, findVersion, type RecordSet, recordsKey, showFields } from "./record-cache.ts";
import { type AnyRecord, type Kind, kindOfId, type RecordTypes } from "./record-kinds.ts";

/** What takes a change back. */
export type Step = { [N in ActionName]: { readonly name: N; readonly input: ActionInput<N> } }[ActionName];

export interface ShownFields<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: string;
  readonly fields: Partial<RecordTypes[K]>;
}

export interface RecordWriteOptions<N extends ActionName> {
  readonly says?: string | ((result: ActionResult<N>, input: ActionInput<N>) => string);
  readonly undo?: "fields" | ((result: ActionResult<N>, input: ActionInput<N>) => Step | undefined);
  readonly optimistic?: (input: ActionInput<N>) => ShownFields | undefined;
  readonly failure?: "toast" | "shown";
  readonly onDone?: (result: ActionResult<N>, input: ActionInput<N>) => void;
}

interface Begun {
  readonly takeBack: (() => void) | undefined;
  /** The record as it was seen. */
  readonly seen: AnyRecord | undefined;
}

interface PlainInput {
  readonly path?: { readonly recordId?: string };
  readonly body?: Readonly<Record<string, unknown>>;
}

export function useRecordWrite<N extends ActionName>(
  name: N,
  options: RecordWriteOptions<N> = {},
): UseMutationResult<ActionResult<N>, RequestFailure, ActionInput<N>, Begun> {
  const { id: orgId } = useOrganization();
  const client = useQueryClient();
  return useMutation<ActionResult<N>, RequestFailure, ActionInput<N>, Begun>({
    // A conflict is told by its dialog.
    meta: { failure: "shown" },
    mutationFn: (input) => callAction(name, input),
    onMutate: (input) => {
      const seen = findRecord(client, orgId, (input as PlainInput).path?.recordId);
      const shown = options.optimistic?.(input);
      const takeBack = shown && showFields(client, orgId, shown.kind, shown.id, shown.fields as object);
      return { takeBack, seen };
    },
    onSuccess: async (result, input, { seen }) => {
      await catchUp(client, orgId);
      await sayDone(client, orgId, { name, options, result, input, seen });
      options.onDone?.(result, input);
    },
    onError: async (failure, input, begun) => {
      begun?.takeBack?.();
      await catchUp(client, orgId);
      if (failure.code === "CONFLICT" && failure.current !== undefined) {
        const retry = (updatedAt: number) => writeAgain(client, orgId, { name, options, input, updatedAt });
        const seen = findSeen(client, orgId, input as PlainInput, failure.current) ?? begun?.seen;
        showConflict({ id: crypto.randomUUID(), seen, current: failure.current, input: input as PlainInput, retry });
      } else if (options.failure !== "shown") await tell(failure);
    },
  });
}

interface Write<N extends ActionName> {
  readonly name: N;
  readonly options: RecordWriteOptions<N>;
  readonly input: ActionInput<N>;
}

/** The same change of the version that stands now. */
async function writeAgain<N extends ActionName>(
  client: QueryClient,
  orgId: string,
  { name, options, input, updatedAt }: Write<N> & { readonly updatedAt: number },
): Promise<void> {
  const again = { ...input, body: { ...(input as PlainInput).body, updatedAt } } as ActionInput<N>;
  const seen = findRecord(client, orgId, (input as PlainInput).path?.recordId);
  const result = await callAction(name, again);
  await catchUp(client, orgId);
  await sayDone(client, orgId, { name, options, result, input: again, seen });
  options.onDone?.(result, again);
}

async function sayDone<N extends ActionName>(
  client: QueryClient,
  orgId: string,
  write: Write<N> & { readonly result: ActionResult<N>; readonly seen: AnyRecord | undefined },
): Promise<void> {
  const { says } = write.options;
  const undo = findUndo(write);
  if (says === undefined && undo === undefined) return;
  const { showDone } = await import("../ui/toasts.ts");
  const message = typeof says === "function" ? says(write.result, write.input) : (says ?? RECORD_TEXTS.saved);
  showDone(message, undo && { label: RECORD_TEXTS.undo, run: () => void takeStep(client, orgId, undo) });
}

function findUndo<N extends ActionName>({
  name,
  options: { undo },
  input,
  result,
  seen,
}: Write<N> & { readonly result: ActionResult<N>; readonly seen: AnyRecord | undefined }): Step | undefined {
  if (undo !== "fields") return undo?.(result, input);
  if (seen === undefined) return undefined;
  const { updatedAt: _, ...written } = (input as PlainInput).body ?? {};
  const before = Object.fromEntries(Object.keys(written).map((field) => [field, seen[field as keyof AnyRecord]]));
  const { updatedAt } = result as unknown as AnyRecord;
  return { name, input: { ...input, body: { ...before, updatedAt } } } as unknown as Step;
}

/** Takes a change back. What others changed since then stays: then nothing is written, and why is said. */
async function takeStep(client: QueryClient, orgId: string, { name, input }: Step): Promise<void> {
  const { showDone } = await import("../ui/toasts.ts");
  try {
    await callAction(name, input as never);
    showDone(RECORD_TEXTS.undone);
  } catch (error) {
    await tell(error);
  }
  await catchUp(client, orgId);
}

export async function tell(error: unknown): Promise<void> {
  if (!(error instanceof RequestFailure)) throw error;
  // The pages lead to sign-in by themselves.
  if (error.code === "NOT_SIGNED_IN") return;
  const { showFailure } = await import("../ui/toasts.ts");
  showFailure(error);
}

/** The version that a write was about. That of a player's move is the assignment's. */
function findSeen(
  client: QueryClient,
  orgId: string,
  { path, body }: PlainInput,
  current: NonNullable<RequestFailure["current"]>,
): AnyRecord | undefined {
  const kind = kindOfId(String(current.id));
  if (kind === undefined) return undefined;
  const isSeen = (record: AnyRecord) =>
    record.updatedAt === body?.updatedAt &&
    (record.id === path?.recordId || ("playerId" in record && record.playerId === path?.recordId));
  return findVersion(client, orgId, kind, isSeen);
}

function findRecord(client: QueryClient, orgId: string, id: string | undefined): AnyRecord | undefined {
  const kind = id === undefined ? undefined : kindOfId(id);
  if (id === undefined || kind === undefined) return undefined;
  return client.getQueryData<RecordSet<Kind>>(recordsKey(orgId, kind))?.byId.get(id);
}
