/** Run as a process of its own: opens the store of the settings and changes a key or a tier there, as a command does. */
import { revokeKey, rotateKey } from "../../src/access/key-admin.ts";
import { setTier } from "../../src/access/organizations.ts";
import { readConfig } from "../../src/config.ts";
import { openStore } from "../../src/store/open-store.ts";
import { TEST_ORIGIN } from "../test-origin.ts";

const [action = "", subject = "", value = ""] = process.argv.slice(2);
const { store } = await openStore(readConfig());
try {
  if (action === "revoke") await revokeKey(store, subject, TEST_ORIGIN);
  else if (action === "tier") await setTier(store, subject, value, TEST_ORIGIN);
  else if (action === "rotate")
    process.stdout.write((await rotateKey(store, subject, Number(value), TEST_ORIGIN)).successor.key);
  else throw new Error(`There is no action ${action}.`);
} finally {
  await store.close();
}
