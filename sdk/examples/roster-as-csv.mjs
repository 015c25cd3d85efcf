/** Prints the roster as CSV: `LINEUP_URL=… LINEUP_KEY=… node roster-as-csv.mjs > roster.csv`. */
import { Lineup } from "@lineup/client";

const lineup = new Lineup({
  baseUrl: process.env.LINEUP_URL ?? "http://127.0.0.1:3000",
  key: process.env.LINEUP_KEY ?? "",
});
const COLUMNS = ["teamName", "game", "role", "ign", "realName", "isStarter", "isCaptain", "status", "joinedAt"];

function cellOf(name, value) {
  const text = name === "joinedAt" ? new Date(value).toISOString().slice(0, 10) : String(value);
  // What begins like this a spreadsheet would take for a formula.
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

console.log(COLUMNS.join(","));
for await (const entry of lineup.roster.list({ sort: "teamName" })) {
  console.log(COLUMNS.map((name) => cellOf(name, entry[name])).join(","));
}
