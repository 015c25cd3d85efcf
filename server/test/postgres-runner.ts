/**
 * How vitest runs the test files on PostgreSQL: as any others where the run has one, else not at all. Their tests are then skipped, and
 * counted as skipped, and nothing that would prepare them runs. Why there is none was said when the run began.
 */
import { type SerializedConfig, TestRunner } from "vitest";
import { hasPostgres } from "./services/provided-services.ts";

const MATCHES_NOTHING = /(?!)/;

export default class PostgresRunner extends TestRunner {
  constructor(config: SerializedConfig) {
    super(config);
    if (!hasPostgres()) this.config = { ...config, testNamePattern: MATCHES_NOTHING };
  }
}
