/**
 * `/calendar/TOKEN.ics`: the one address that opens something by itself. So nothing of the address is ever written down: not the token, not the
 * path it stands in. Every request draws on its address's window, whether it finds something or not, so that guessing is slow; and a token
 * that nobody has is answered as one that was taken back.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { waitOf } from "../limits/windows.ts";
import { makeId } from "../store/ids.ts";
import type { ActionTools } from "./action-exchange.ts";
import { matchesTag, tagOfContent } from "./answer.ts";
import type { ExchangeTools } from "./exchange.ts";
import { DATA_POLICY, findSite, securityHeaders } from "./site.ts";

export interface FoundCalendar {
  readonly link: { readonly id: string; readonly orgId: string };
  readonly text: string;
}

export interface CalendarTools extends ExchangeTools, ActionTools {
  /** Undefined where no link has this token. */
  readCalendar(token: string): Promise<FoundCalendar | undefined>;
}

const ROUTE = "GET /calendar/{token}.ics";
const ENDING = ".ics";

interface CalendarAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly calendar?: FoundCalendar["link"];
  readonly fault?: unknown;
}

export function registerCalendar(app: FastifyInstance, tools: CalendarTools): void {
  app.get("/calendar/:file", async (request, reply) => {
    const startedAt = performance.now();
    const requestId = makeId("req");
    const answer = await answerCalendar(tools, request).catch((fault: unknown) => refuse(500, BROKEN, { fault }));
    sendAnswer(tools, request, reply, requestId, answer);
    report(tools, requestId, answer, performance.now() - startedAt);
    return reply;
  });
}

async function answerCalendar(tools: CalendarTools, request: FastifyRequest): Promise<CalendarAnswer> {
  const client = tools.resolveClient(request.raw);
  const verdict = await tools.pipeline.limiter.takeAddress(client.address);
  if (!verdict.admitted) {
    return refuse(429, TOO_MANY, { headers: { "Retry-After": String(waitOf(verdict)) } });
  }
  if (!client.isPrivate) return refuse(403, HTTPS_REQUIRED);
  const { file } = request.params as { readonly file: string };
  const token = file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : undefined;
  const found = token === undefined ? undefined : await tools.readCalendar(token);
  if (found === undefined) return refuse(404, UNKNOWN);
  const tag = tagOfContent(found.text);
  const headers = { "Cache-Control": "private, no-cache", ETag: tag };
  if (matchesTag(request.headers["if-none-match"], tag)) {
    return { status: 304, headers, body: "", calendar: found.link };
  }
  const type = {
    "Content-Type": "text/calendar; charset=utf-8",
    "Content-Disposition": 'inline; filename="lineup.ics"',
  };
  return { status: 200, headers: { ...headers, ...type }, body: found.text, calendar: found.link };
}

function refuse(status: number, body: string, more: Partial<CalendarAnswer> = {}): CalendarAnswer {
  const headers = { "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8", ...more.headers };
  return { status, body: `${body}\n`, ...more, headers };
}

function sendAnswer(
  { resolveClient, actions }: CalendarTools,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  requestId: string,
  { status, headers, body }: CalendarAnswer,
): void {
  reply.headers(securityHeaders(findSite(raw, resolveClient(raw), actions.publicUrl)));
  reply.code(status).headers({ ...headers, "X-Request-Id": requestId, "Content-Security-Policy": DATA_POLICY });
  reply.send(status === 304 ? undefined : body);
}

function report(
  { log, metrics }: CalendarTools,
  requestId: string,
  { status, calendar, fault }: CalendarAnswer,
  elapsedMs: number,
): void {
  const durationMs = Math.round(elapsedMs * 1_000) / 1_000;
  metrics.countRequest({ route: ROUTE, status, code: undefined, durationMs });
  const line = { requestId, calendarId: calendar?.id, orgId: calendar?.orgId, route: ROUTE, status, durationMs };
  if (fault === undefined) log.info(line, "calendar");
  else log.error({ ...line, err: fault }, "calendar failed");
}

const UNKNOWN =
  "There is no calendar under this address. It may have been taken back: make another under Schedule, Subscribe.";
const TOO_MANY = "Too many requests came from this address. Wait as long as Retry-After says, then ask again.";
const HTTPS_REQUIRED =
  "HTTPS is required: over plain HTTP others can read this address, which opens the calendar. Take the link back, make another, and use it over HTTPS only.";
const BROKEN = "Something went wrong on our side. Try again later.";
