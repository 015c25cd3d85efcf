/** Makes the writes that requests ask for. */
import type { Store } from "../store/store.ts";
import type { Input, MakeWrite, VerbContext } from "./context.ts";
import { VERBS } from "./verbs.ts";

export function writerOf(store: Store, now: () => number): MakeWrite {
  return async ({ name, orgId, origin, id, query, body }) => {
    // A verb's own types tie its input to its endpoint's record; here, where all are alike, they cannot be told apart.
    const verb = VERBS[name] as (context: VerbContext, input: Input) => Promise<{ readonly id: string }>;
    const made = await store.writeOrg(orgId, origin, (org) => verb({ org, now: now() }, { id, query, body }));
    return { id: made.id, json: JSON.stringify(made) };
  };
}
