import { commandOrigin } from "../src/store/audit-entry.ts";

/** Who is behind what a test changes past the server. */
export const TEST_ORIGIN = commandOrigin("test");

/** What the audit log is sealed with on PostgreSQL. */
export const TEST_SECRET = "a secret of the tests, of no value at all";
