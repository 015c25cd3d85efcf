/** Drops the databases of a run that could not do it itself. Run by the keeper; reads their source from standard input. */
import { text } from "node:stream/consumers";
import { type DatabaseSource, dropDatabasesOfRun } from "./test-database.ts";

const source: DatabaseSource = JSON.parse(await text(process.stdin));
await dropDatabasesOfRun(source);
