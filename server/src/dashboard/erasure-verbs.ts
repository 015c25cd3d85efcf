/** Erasing a person. */
import { ActionError } from "@lineup/api/dashboard/action";
import { erasePerson as eraseIn, previewErasure as previewIn } from "../erasure/erase-person.ts";
import { sweepErasures } from "../erasure/sweep.ts";
import { StoreError } from "../store/store-error.ts";
import type { ActionVerb } from "./context.ts";

export const previewErasure: ActionVerb<"previewErasure"> = async ({ tools, orgId }, { path }) => {
  const { people, ...counts } = await previewIn(tools.store, orgId, path.recordId);
  return { people: [...people], ...counts };
};

export const erasePerson: ActionVerb<"erasePerson"> = async ({ tools, orgId, origin, visit }, { path }) => {
  const { store, requestLog } = tools;
  const { people, ...counts } = await eraseIn(store, orgId, path.recordId, origin, visit.now).catch(refuse);
  const { blocks, recorder } = requestLog;
  // What cannot be swept now is swept later; the person is erased all the same.
  const isSwept = await sweepErasures({ store, blocks, recorder }, visit.now).then(
    () => true,
    () => false,
  );
  return { people: [...people], ...counts, isSwept };
};

function refuse(error: unknown): never {
  throw error instanceof StoreError ? new ActionError("CONFLICT", error.message) : error;
}
