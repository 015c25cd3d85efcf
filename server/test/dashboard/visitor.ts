/** A browser as the server sees it: it keeps cookies, says where it comes from, and takes actions. */
import { ACTIONS_PATH, type Action, actionErrorSchema } from "@lineup/api/dashboard/action";
import { ACTIONS, type ActionName, type ActionResult, requireAction } from "@lineup/api/dashboard/actions";
import { expect } from "vitest";
import { makeLink } from "../../src/identity/links.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import type { LooseBody, TestServer } from "../test-server.ts";

export interface ActionInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SentAs {
  /** Past what a browser would send; null leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly method?: string;
}

export interface ActionReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: LooseBody;
  /** Undefined where it was done. */
  readonly code: string | undefined;
}

export class Visitor {
  readonly server: Pick<TestServer, "origin" | "store">;
  readonly cookies = new Map<string, string>();

  constructor(server: Pick<TestServer, "origin" | "store">) {
    this.server = server;
  }

  /** Whatever comes of it. Every answer is judged by what holds for all of them. */
  async try(name: ActionName, input: ActionInput = {}, as: SentAs = {}): Promise<ActionReply> {
    const action = requireAction(name);
    const reply = await this.send(as.method ?? action.method, urlOf(action, input), input.body, as.headers);
    if (reply.status === 200 && reply.text !== "") action.result.parse(reply.body);
    return reply;
  }

  /** The result of an action that must succeed. */
  async do<N extends ActionName>(name: N, input: ActionInput = {}): Promise<ActionResult<N>> {
    const reply = await this.try(name, input);
    expect([name, reply.status, reply.body]).toEqual([name, 200, reply.body]);
    return reply.body as ActionResult<N>;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<ActionReply> {
    const sent: Record<string, string> = { origin: this.server.origin, cookie: this.#cookieHeader() };
    const raw =
      body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    if (raw !== undefined) sent["content-type"] = "application/json";
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) delete sent[name];
      else sent[name] = value;
    }
    const response = await fetch(this.server.origin + path, {
      method,
      headers: sent,
      redirect: "manual",
      ...(raw === undefined ? {} : { body: raw as NonNullable<RequestInit["body"]> }),
    });
    const text = await response.text();
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    expectActionAnswer(response, text);
    const parsed: LooseBody = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, body: parsed, code: parsed?.error?.code };
  }

  /** Signs in by a link that works once, as the operator makes one. */
  async signInAs(userId: string): Promise<this> {
    const { token } = await this.server.store.writePeople(TEST_ORIGIN, (operator) =>
      makeLink(operator, { kind: "sign-in", userId, createdBy: "test" }, Date.now()),
    );
    await this.do("signInByLink", { body: { token } });
    return this;
  }

  #cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split("; ");
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals);
    const isOver = attributes.some((attribute) => /^max-age=0$/i.test(attribute));
    expect(attributes.map((attribute) => attribute.toLowerCase())).toEqual(
      expect.arrayContaining(["httponly", "path=/", "samesite=lax"]),
    );
    if (isOver) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(equals + 1));
  }
}

/** What holds for every answer to an action. */
function expectActionAnswer(response: Response, text: string): void {
  const { headers } = response;
  const requestId = headers.get("x-request-id") ?? "";
  expect(requestId).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
  });
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  // A client that is refused for a while is told for how long, and no other is.
  if (response.status === 429) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  else expect(headers.get("retry-after")).toBeNull();
  if (response.status === 200 || text === "") return;
  expect(actionErrorSchema.parse(JSON.parse(text)).requestId).toBe(requestId);
}

export function urlOf(action: Action, { path = {}, query = {} }: ActionInput): string {
  const filled = action.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return `${ACTIONS_PATH}${filled}${search === "" ? "" : `?${search}`}`;
}

export const ACTION_NAMES: readonly ActionName[] = ACTIONS.map(({ name }) => name);

export function isWrite(name: ActionName): boolean {
  return requireAction(name).method !== "GET";
}

export function isOfOrganization(name: ActionName): boolean {
  return requireAction(name).path.includes("{orgId}");
}
