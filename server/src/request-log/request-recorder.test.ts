import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { makeRecord, openTestLog, type TestLog, walkLog } from "../../test/request-log/logged-requests.ts";
import { makeId } from "../store/ids.ts";
import { RequestRecorder } from "./request-recorder.ts";

let log: TestLog;

beforeAll(async () => {
  log = await openTestLog();
});
afterAll(() => log?.close());

// It is never time to write: what is written was asked for, or much was waiting.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function makeRecorder() {
  const faults: unknown[] = [];
  const onFault = (_what: string, error: unknown) => faults.push(error);
  const recorder = new RequestRecorder({
    store: log.store,
    blocks: log.blocks,
    now: () => Date.now(),
    onFault,
    onRecovery: () => undefined,
  });
  return { recorder, faults };
}

const countOf = async (orgId: string) => (await walkLog(log.blocks, orgId, {}, 50)).requests.length;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("blocks are written when it is time or asked for, full ones and one that is open", async () => {
  const { recorder, faults } = makeRecorder();
  const [busy, quiet] = [makeId("org"), makeId("org")];
  recorder.record(makeRecord(quiet, { keyId: "key_quiet" }));
  for (let left = 2_000; left > 0; left--) recorder.record(makeRecord(busy, { keyId: "key_busy" }));
  await turn();
  expect([recorder.recorded, await countOf(quiet)]).toEqual([0, 0]);
  await recorder.writeRequests();
  expect([recorder.recorded, await countOf(quiet), await countOf(busy)]).toEqual([2_001, 1, 2_000]);
  expect([faults, recorder.dropped]).toEqual([[], 0]);
  await recorder.close();
});

test("where hundreds of organizations fill the room for what waits, all of it is written before there is none left", async () => {
  const { recorder, faults } = makeRecorder();
  const orgIds = Array.from({ length: 900 }, () => makeId("org"));
  const count = 40_000;
  for (let index = 0; index < count; index++) {
    const target = `/api/public/v1/players?search=${index}${"x".repeat(440)}`;
    const orgId = orgIds[index % orgIds.length] as string;
    recorder.record(makeRecord(orgId, { keyId: `key_of_${orgId}`, target }));
    // Some 14 MB wait now, more than half of what may: it is up to the recorder that they become less.
    while (index - recorder.recorded > 20_000) await turn();
  }
  expect([faults, recorder.dropped]).toEqual([[], 0]);
  await recorder.close();
  expect([recorder.recorded, recorder.dropped]).toEqual([count, 0]);
});
