/** Endpoints as nobody wants them, on a thread of their own: what they do to others is not to be what they do to our event loop. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { parentPort, workerData } from "node:worker_threads";

const { tls } = workerData as { readonly tls: { readonly cert: string; readonly key: string } };

async function start(talk: (socket: Socket) => void): Promise<string> {
  const server = createServer(tls, (socket: TLSSocket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => talk(socket));
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function pour(socket: Socket, head: string, piece: string): void {
  socket.write(head);
  const go = () => {
    while (!socket.destroyed) if (!socket.write(piece)) return;
  };
  socket.on("drain", go);
  go();
}

const END = "\r\ncontent-length: 0\r\n\r\n";

parentPort?.postMessage([
  await start(() => undefined),
  await start((socket) => void socket.destroy()),
  await start((socket) => pour(socket, "HTTP/1.1 200 OK\r\n", `x: ${"a".repeat(4_000)}\r\n`)),
  await start((socket) => pour(socket, "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n", "b".repeat(65_536))),
  await start((socket) => pour(socket, "", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n")),
  await start((socket) => void socket.write(`HTTP/1.1 500 No${END}`)),
  await start((socket) => void socket.write(`HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1:1/${END}`)),
]);
