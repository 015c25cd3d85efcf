/**
 * Announces on Discord who joins a team. Make a webhook in Lineup for `roster.created` that leads here over HTTPS, and one in your Discord channel
 * (Edit channel › Integrations › Webhooks). Then: `LINEUP_URL=… LINEUP_KEY=… LINEUP_WEBHOOK_SECRET=… DISCORD_URL=… PORT=8080 node announce-on-discord.mjs`.
 */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Lineup, verifyWebhook } from "@lineup/client";

const lineup = new Lineup({
  baseUrl: process.env.LINEUP_URL ?? "http://127.0.0.1:3000",
  key: process.env.LINEUP_KEY ?? "",
});
const secret = process.env.LINEUP_WEBHOOK_SECRET ?? "";
/** A message may come twice, mostly soon after the first time. */
const announced = new Set();

const server = createServer(async (request, response) => {
  const event = await text(request)
    .then((body) => verifyWebhook({ body, headers: request.headers, secret }))
    .catch((error) => console.error(error.message));
  if (event === undefined) return response.writeHead(400).end();
  try {
    const isNew = event.type === "roster.created" && !announced.has(event.id);
    if (announced.add(event.id).size > 1_000) announced.delete(announced.values().next().value);
    if (isNew) await announce(event.data.resourceId);
    response.writeHead(204).end();
  } catch (error) {
    announced.delete(event.id);
    console.error(error.message);
    // Lineup sends it again.
    response.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8080), () => console.log(`Listening on port ${server.address().port}`));

async function announce(assignmentId) {
  for await (const { id, playerId, ign, role, teamId, teamName, joinedAt } of lineup.roster.list()) {
    if (id !== assignmentId) continue;
    // Another role in the same team is an entry of its own too.
    const before = await lineup.roster.list({ teamId, asOf: joinedAt - 1 }).toArray();
    if (before.some((entry) => entry.playerId === playerId)) return;
    const response = await fetch(process.env.DISCORD_URL ?? "", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      // Names are people's own: none of them shall call everyone.
      body: JSON.stringify({ content: `${ign} joins ${teamName} as ${role}.`, allowed_mentions: { parse: [] } }),
    });
    if (!response.ok) throw new Error(`Discord answered with ${response.status}.`);
  }
}
