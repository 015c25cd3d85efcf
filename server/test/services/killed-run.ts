/** A process that has services of all kinds, for a test that kills it: says what they are, and waits. */
import { startOwnPostgres } from "./postgres.ts";
import { startOwnRedis } from "./redis.ts";
import { findOrStartServices } from "./run-services.ts";
import { createTestDatabase } from "./test-database.ts";

const { provided } = await findOrStartServices();
if (provided.postgres === undefined) throw new Error("There is no PostgreSQL.");
const database = await createTestDatabase(provided.postgres);
const [redis, postgres] = [await startOwnRedis(), await startOwnPostgres({ fsync: false })];
redis.pause();
console.log(JSON.stringify({ database: database.name, ports: [redis.port, postgres.port] }));
process.stdin.resume();
