/** Somebody who keeps an organization's data: takes the actions of its pages, and sees to it that each is told as it is shown. */
import type { ActionName, ActionResult } from "@lineup/api/dashboard/actions";
import { expect } from "vitest";
import { findUntold, lookAt } from "../told-changes.ts";
import type { World } from "./dashboard-world.ts";
import { type ActionReply, isWrite, type Visitor } from "./visitor.ts";

export class Staff {
  readonly visitor: Pick<Visitor, "do" | "try">;
  readonly orgId: string;
  readonly #world: Pick<World, "server">;
  readonly #now: () => number;

  constructor(world: Pick<World, "server">, visitor: Pick<Visitor, "do" | "try">, orgId: string, now = Date.now) {
    this.#world = world;
    this.visitor = visitor;
    this.orgId = orgId;
    this.#now = now;
  }

  /** Must succeed; what it changes must be told, and nothing else. */
  async do<N extends ActionName>(name: N, recordId?: string, body?: unknown): Promise<ActionResult<N>> {
    return this.#told(name, () => this.visitor.do(name, this.#input(recordId, body)));
  }

  /** Must be refused, with nothing changed and nothing told. */
  async refused(name: ActionName, recordId?: string, body?: unknown): Promise<ActionReply> {
    const before = await this.look();
    const reply = await this.visitor.try(name, this.#input(recordId, body));
    expect([name, reply.code, reply.body]).not.toEqual([name, undefined, reply.body]);
    expect(await this.look()).toEqual(before);
    return reply;
  }

  look() {
    return lookAt(this.#world.server.store, this.orgId, this.#now());
  }

  /** The actions told since a look, in order. */
  async toldSince(seq: number): Promise<string[]> {
    const audit = this.#world.server.store.org(this.orgId).selectFrom("audit");
    const rows = await audit.select(["audit.action"]).where("audit.seq", ">", seq).orderBy("audit.seq").execute();
    return rows.map(({ action }) => action);
  }

  async #told<T>(name: ActionName, work: () => Promise<T>): Promise<T> {
    if (!isWrite(name)) return work();
    const before = await this.look();
    const result = await work();
    const untold = await findUntold(this.#world.server.store, this.orgId, before, await this.look());
    expect([name, untold]).toEqual([name, []]);
    return result;
  }

  #input(recordId: string | undefined, body: unknown) {
    const path = { orgId: this.orgId, ...(recordId === undefined ? {} : { recordId }) };
    return body === undefined ? { path } : { path, body };
  }
}
