/**
 * Brings keys past their limit for the rest of the day: each asks as often in a minute as the highest tier admits, and then its
 * organization gets the lowest, whose day is full with that. A change of tier forgets nothing that was counted.
 */
import { TIERS } from "@lineup/api/tiers";
import type { Subject } from "./entrant.ts";
import type { TierChange } from "./lineup-server.ts";
import { openConnections } from "./load.ts";
import { onePlayer } from "./player-questions.ts";
import { captureAnswer, expectationOf, requestBytes } from "./question.ts";

const CONNECTIONS = 16;
const ASKED_BY_EACH = Math.min(TIERS.Enterprise.perMinute, TIERS.Free.perDay);

export async function passLimits({ contender, port, fixture }: Subject): Promise<void> {
  const org = fixture.limited[0];
  if (org === undefined || ASKED_BY_EACH < TIERS.Free.perDay) throw new Error("Nobody can be brought past a limit.");
  const question = onePlayer(org.playerIds[0]);
  const expected = expectationOf(question, await captureAnswer(question, { key: org.keys[0] ?? "" }, port));
  const requests = org.keys.map((key) => ({ bytes: requestBytes(question, { key }), expected }));
  const connections = await openConnections(port, CONNECTIONS);
  try {
    // The first key has asked once already.
    let next = 1;
    const maxRequests = org.keys.length * ASKED_BY_EACH - 1;
    await connections.drive({ durationMs: 0, minAnswers: maxRequests, maxRequests }, () => {
      return requests[next++ % requests.length] as (typeof requests)[number];
    });
  } finally {
    connections.close();
  }
  await contender.ask("setTier", { orgId: org.orgId, tier: "Free" } satisfies TierChange);
}
