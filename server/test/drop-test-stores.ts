/** Run by vitest before each test file on PostgreSQL: what the file's tests leave in databases goes with them. */
import { afterAll } from "vitest";
import { dropTestStores } from "./test-store.ts";

afterAll(dropTestStores);
