/** An endpoint that takes everything at once, on a thread of its own: its work is not to be counted as ours. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { tls } = workerData as { readonly tls: { readonly cert: string; readonly key: string } };
const server = createServer(tls, (request, response) => {
  request.resume();
  response.writeHead(204).end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
parentPort?.postMessage(`https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
