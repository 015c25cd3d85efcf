/**
 * Keeps a copy of everything that the key may read in an SQLite file: `LINEUP_URL=… LINEUP_KEY=… node mirror-into-sqlite.mjs mirror.db`. Needs Node 22.13 or newer.
 * Stop it and start it whenever you like: it goes on where it was. Query the copy with json_extract(json, '$.ign').
 */
import { DatabaseSync } from "node:sqlite";
import { CursorExpiredError, Lineup } from "@lineup/client";

const lineup = new Lineup({
  baseUrl: process.env.LINEUP_URL ?? "http://127.0.0.1:3000",
  key: process.env.LINEUP_KEY ?? "",
  onRetry: ({ error, waitMs }) => console.error(`${error.message} Again in ${Math.ceil(waitMs / 1_000)} s.`),
});
const db = new DatabaseSync(process.argv[2] ?? "mirror.db");
// Others may read while this writes. Of what is deleted nothing stays in the file: people may have asked to be forgotten.
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA secure_delete = ON;
  CREATE TABLE IF NOT EXISTS records (id TEXT PRIMARY KEY, kind TEXT NOT NULL, json TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS cursors (cursor TEXT NOT NULL) STRICT;
`);

/** By what the type of a change begins with: what a key must hold, and the list that shows the record. */
const LISTS = {
  player: { permission: "players:read", read: () => lineup.players.list() },
  team: { permission: "teams:read", read: () => lineup.teams.list() },
  roster: { permission: "roster:read", read: () => lineup.roster.list() },
  // The bare list leaves out what is over.
  schedule: { permission: "schedule:read", read: () => lineup.schedule.list({ from: 0 }) },
  prospect: { permission: "prospects:read", read: () => lineup.prospects.list() },
  contract: { permission: "contracts:read", read: () => lineup.contracts.list() },
};

async function readLists(kinds) {
  const lists = [];
  for (const kind of kinds) lists.push({ kind, records: await LISTS[kind].read().toArray() });
  return lists;
}

/** Records and cursor in one transaction: whenever this program is stopped, the one belongs to the other. */
function keep(lists, cursor) {
  db.exec("BEGIN");
  for (const { kind, records } of lists) {
    db.prepare("DELETE FROM records WHERE kind = ?").run(kind);
    const insert = db.prepare("INSERT INTO records (id, kind, json) VALUES (?, ?, ?)");
    for (const record of records) insert.run(record.id, kind, JSON.stringify(record));
  }
  db.exec("DELETE FROM cursors");
  db.prepare("INSERT INTO cursors (cursor) VALUES (?)").run(cursor);
  db.exec("COMMIT");
  // What was there before is still in the journal beside the file, until that is written anew.
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  console.log(lists.map(({ kind, records }) => `${kind} ${records.length}`).join(", ") || "nothing new");
}

/** The cursor comes first: what changes while the lists are read is then told by the feed. */
async function begin() {
  const { permissions } = await lineup.me();
  const kinds = Object.keys(LISTS).filter((kind) => permissions.includes(LISTS[kind].permission));
  const cursor = await lineup.changes.latest();
  keep(await readLists(kinds), cursor);
  return cursor;
}

for (let from = db.prepare("SELECT cursor FROM cursors").get()?.cursor; ; from = undefined) {
  from ??= await begin();
  try {
    for await (const { changes, cursor } of lineup.changes.follow({ from })) {
      keep(await readLists(new Set(changes.map(({ type }) => type.split(".")[0]))), cursor);
    }
  } catch (error) {
    // This program was away for longer than changes are kept.
    if (!(error instanceof CursorExpiredError)) throw error;
  }
}
