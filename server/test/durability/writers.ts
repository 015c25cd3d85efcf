/** Writers that create and update players and prospects as fast as they are answered, until the server is gone. */
import type { Game } from "@lineup/api/roles";
import { ROLES_BY_GAME } from "@lineup/api/roles";
import type { Fields, Resource, Write, WriteLedger } from "./write-ledger.ts";

export interface Team {
  readonly id: string;
  readonly game: Game;
}

let written = 0;

export async function writeUntilKilled(
  baseUrl: string,
  key: string,
  teams: readonly Team[],
  ledger: WriteLedger,
  onAcknowledged: () => void,
): Promise<void> {
  /** Of this writer alone, so that at most one write to a record is under way. */
  const own: { readonly kind: Write["kind"]; readonly id: string }[] = [];
  for (;;) {
    const target = Math.random() < 0.5 ? pick(own) : undefined;
    const kind = target?.kind ?? (Math.random() < 0.75 ? "players" : "prospects");
    const body = kind === "players" ? playerBody(teams) : prospectBody(teams);
    const write: Write = { kind, id: target?.id, body };
    ledger.begin(write);
    const answer = await send(baseUrl, key, write);
    if (answer === undefined) return;
    ledger.acknowledge(write, answer);
    if (target === undefined) own.push({ kind, id: answer.id });
    onAcknowledged();
  }
}

/** Undefined when the server was gone before its answer was whole. */
async function send(baseUrl: string, key: string, write: Write): Promise<Resource | undefined> {
  const path = write.id === undefined ? write.kind : `${write.kind}/${write.id}`;
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${baseUrl}/${path}`, {
      method: write.id === undefined ? "POST" : "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(write.body),
    });
    status = response.status;
    text = await response.text();
  } catch {
    return undefined;
  }
  if (status !== (write.id === undefined ? 201 : 200)) throw new Error(`A write was answered ${status}: ${text}`);
  return (JSON.parse(text) as { data: Resource }).data;
}

function playerBody(teams: readonly Team[]): Fields {
  const name = nextName();
  const team = Math.random() < 0.8 ? pick(teams) : undefined;
  return {
    ign: name,
    realName: `Real ${name}`,
    role: pick(ROLES_BY_GAME[team?.game ?? "Other"]),
    teamId: team?.id ?? null,
    stats: { writes: written, name },
    externalIds: { ours: name, theirs: `x-${name}` },
  };
}

function prospectBody(teams: readonly Team[]): Fields {
  const name = nextName();
  return {
    ign: name,
    stage: pick(["identified", "contacted", "trial", "offered"]),
    rating: written % 10,
    notes: name.repeat(20),
    targetTeamId: pick(teams)?.id ?? null,
    tags: [name],
    externalIds: { ours: name },
  };
}

function nextName(): string {
  written++;
  return `w${written}`;
}

function pick<T>(choices: readonly T[]): T | undefined {
  return choices[Math.floor(Math.random() * choices.length)];
}
