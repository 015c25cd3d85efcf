import type { Prospect } from "@lineup/api/prospects";
import { notificationsStore } from "@mantine/notifications";
import { QueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { forgetRecords, type RecordSet, recordsKey } from "./record-cache.ts";
import { coverRecords, listenToLayers } from "./shown-layers.ts";
import { writeRecord } from "./use-record-write.ts";

type Stage = Prospect["stage"];

const ORG = "org_1";
const ID = "prospect_1";
const BEGUN_AT = 100;

/** What the network does with a write of this stage: nothing else stands between the pages and the one record of this server. */
type Fate = "taken" | "refused" | "offline";

class OneProspect {
  record = { id: ID, ign: "Nyx", stage: "identified", updatedAt: BEGUN_AT } as Prospect;
  sequence = 1;
  readonly fates = new Map<Stage, Fate>();
  /** By stage: what has to happen before that write is answered. */
  readonly waits = new Map<Stage, Promise<void>>();
  readonly written: Stage[] = [];

  /** Stands where `fetch` does. */
  readonly answer = async (url: string, init: RequestInit): Promise<Response> => {
    if (init.method === "GET")
      return Response.json(this.#follow(Number(new URL(url, "http://pages").searchParams.get("after"))));
    const { stage, updatedAt } = JSON.parse(String(init.body)) as { readonly stage: Stage; readonly updatedAt: number };
    await this.waits.get(stage);
    const fate = this.fates.get(stage) ?? "taken";
    if (fate === "offline") throw new TypeError("Failed to fetch");
    if (fate === "refused") return refuse(400, { code: "VALIDATION_ERROR", message: "Not today.", details: [] });
    const current = this.record;
    if (updatedAt !== current.updatedAt)
      return refuse(409, { code: "CONFLICT", message: "Changed.", details: [], current });
    this.write(stage);
    return Response.json(this.record);
  };

  write(stage: Stage): void {
    this.record = { ...this.record, stage, updatedAt: this.record.updatedAt + 10 };
    this.sequence += 1;
    this.written.push(stage);
  }

  #follow(after: number): object {
    const none = { team: [], player: [], assignment: [], contract: [], event: [], prospect: [] };
    const records = after < this.sequence ? { ...none, prospect: [this.record] } : none;
    return { sequence: this.sequence, isMore: false, isTooFar: false, records, deleted: [] };
  }
}

function refuse(status: number, error: object): Response {
  return Response.json({ error, requestId: "req_1" }, { status });
}

let server: OneProspect;
let client: QueryClient;

beforeEach(() => {
  server = new OneProspect();
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const byId = new Map([[ID, server.record]]);
  client.setQueryData<RecordSet<"prospect">>(recordsKey(ORG, "prospect"), { byId, isComplete: true, sequence: 1 });
  vi.stubGlobal("fetch", server.answer);
});
afterEach(() => {
  vi.unstubAllGlobals();
  notificationsStore.setState({ ...notificationsStore.getState(), notifications: [], queue: [] });
  forgetRecords();
  client.clear();
});

const known = () => client.getQueryData<RecordSet<"prospect">>(recordsKey(ORG, "prospect"))?.byId ?? new Map();
const shown = (): Prospect => coverRecords<Prospect>(known()).get(ID) as Prospect;

/** As somebody does who has clicked before the page knew more than `updatedAt`. */
function move(stage: Stage, updatedAt = BEGUN_AT): Promise<unknown> {
  const input = { path: { orgId: ORG, recordId: ID }, body: { stage, updatedAt } };
  return writeRecord(client, ORG, "updateProspect", input, {
    undo: "fields",
    optimistic: ({ body }) => ({ stage: body.stage }),
  });
}

/** The button of the last message that has one. */
function pressUndo(): void {
  const buttons = notificationsStore.getState().notifications.flatMap(({ message }) => {
    const { onClick } = (message as ReactElement<{ readonly onClick?: () => void }>).props;
    return onClick === undefined ? [] : [onClick];
  });
  buttons.at(-1)?.();
}

test.each(["refused", "offline"] as const)(
  "two quick writes that are both %s leave the record as it was",
  async (fate) => {
    const before = shown();
    server.fates.set("contacted", fate).set("trial", fate);
    const writes = [move("contacted"), move("trial")];
    expect(shown().stage).toBe("trial");
    await Promise.allSettled(writes);
    expect(shown()).toBe(before);
  },
);

test("undoing what was taken after a refused write brings back what stood before both", async () => {
  server.fates.set("contacted", "refused");
  const refused = move("contacted").catch(() => undefined);
  await move("trial");
  await refused;
  expect(shown().stage).toBe("trial");
  pressUndo();
  await expect.poll(() => shown().stage).toBe("identified");
  expect(server.written).toEqual(["trial", "identified"]);
});

test("undoing the second of two that were taken brings back what the first has made", async () => {
  await Promise.all([move("contacted"), move("trial")]);
  pressUndo();
  await expect.poll(() => server.written).toEqual(["contacted", "trial", "contacted"]);
});

test("what is shown never goes back while the second of two waits for its answer", async () => {
  const seen: Stage[] = [];
  const look = () => {
    if (seen.at(-1) !== shown().stage) seen.push(shown().stage);
  };
  const stops = [listenToLayers(look), client.getQueryCache().subscribe(look)];
  const held = Promise.withResolvers<void>();
  server.waits.set("trial", held.promise);
  const first = move("contacted");
  const second = move("trial");
  await first;
  // The page knows of the first alone.
  expect(known().get(ID)?.stage).toBe("contacted");
  expect(shown().stage).toBe("trial");
  held.resolve();
  await second;
  for (const stop of stops) stop();
  expect(seen).toEqual(["contacted", "trial"]);
  expect(shown()).toBe(known().get(ID));
});

test("a change that somebody else made between two quick writes is not written over", async () => {
  const held = Promise.withResolvers<void>();
  server.waits.set("trial", held.promise);
  const first = move("contacted");
  const second = move("trial");
  await first;
  server.write("rejected");
  held.resolve();
  await expect(second).rejects.toMatchObject({ code: "CONFLICT" });
  expect(server.written).toEqual(["contacted", "rejected"]);
  expect(shown().stage).toBe("rejected");
});
