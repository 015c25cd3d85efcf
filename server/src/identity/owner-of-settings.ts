/** The first owner as the settings name them. */
import { SERVER_ORIGIN } from "../store/origin.ts";
import type { Store } from "../store/store.ts";
import { type MadeOwner, makeFirstOwner, nameFrom } from "./first-owner.ts";
import { PasswordDesk } from "./password-desk.ts";
import { hasUsers } from "./users.ts";

/** What the settings say counts only while nobody has an account; later it changes nothing, the password neither. */
export async function makeOwnerOfSettings(
  store: Store,
  admin: { readonly email: string; readonly password: string },
  now = Date.now(),
): Promise<MadeOwner | undefined> {
  if (await hasUsers(store.operator)) return undefined;
  const passwordHash = await new PasswordDesk().hash(admin.password);
  const wanted = { email: admin.email, name: nameFrom(admin.email), passwordHash };
  return store.writeAccess(SERVER_ORIGIN, (operator, recording) => makeFirstOwner(operator, recording, wanted, now));
}
