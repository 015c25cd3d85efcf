/** What the thread of `sending-thread.ts` does: it sends, with a store of its own, until it is told to stop. */
import { once } from "node:events";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { WebhookSender } from "./events/sender.ts";
import { makeWebhooks } from "./make-webhooks.ts";
import type { FromSending, SendingSettings } from "./sending-thread.ts";
import { openStore } from "./store/open-store.ts";

/** One for what takes long, one for all else, one to spare. */
const POOL_SIZE = 3;
const COUNT_EVERY_MS = 200;

async function send(port: NonNullable<typeof parentPort>): Promise<void> {
  const say = (message: FromSending) => port.postMessage(message);
  const { config, options } = workerData as SendingSettings;
  const told = once(port, "message");
  const { store } = await openStore({ ...config, databasePoolSize: POOL_SIZE });
  const { box, requester } = makeWebhooks(config, Date.now, options);
  const sender = new WebhookSender({
    store,
    box,
    requester,
    now: Date.now,
    tell: async (notice) => say({ type: "notice", notice }),
    onFault: (error) => say({ type: "fault", error }),
    onRecovery: () => say({ type: "recovery" }),
  });
  const count = () => {
    const { delivered, refused, backlog } = sender;
    say({ type: "counts", delivered, refused, backlog });
  };
  say({ type: "started" });
  const counting = setInterval(count, COUNT_EVERY_MS);
  try {
    await told;
    await sender.stop();
  } finally {
    clearInterval(counting);
    count();
    requester.close();
    await store.close();
  }
}

if (isMainThread || parentPort === null) throw new Error("This file is run by a thread of the server.");
await send(parentPort);
