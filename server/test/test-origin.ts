import { commandOrigin } from "../src/store/origin.ts";

/** Who is behind what a test changes past the server. */
export const TEST_ORIGIN = commandOrigin("test");
