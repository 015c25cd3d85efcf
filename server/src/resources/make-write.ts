/** Makes the writes that requests ask for. */
import type { Store } from "../store/store.ts";
import type { Input, MakeWrite, WriteContext } from "./context.ts";
import { VERBS } from "./verbs.ts";

export function writerOf(store: Store, now: () => number): MakeWrite {
  return async ({ name, orgId, origin, id, query, body }) => {
    const context: WriteContext = { write: (work) => store.writeOrg(orgId, origin, (org) => work(org, now())) };
    // A verb's own types tie its input to its endpoint's record; here, where all are alike, they cannot be told apart.
    const verb = VERBS[name] as (context: WriteContext, input: Input) => Promise<{ readonly id: string }>;
    const made = await verb(context, { id, query, body });
    return { id: made.id, json: JSON.stringify(made) };
  };
}
