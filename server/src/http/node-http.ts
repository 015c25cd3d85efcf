/**
 * What is used of Node's own HTTP. To import it by name would have Node look at each of its exports, a WebSocket client among them, for which
 * it loads a whole HTTP client: a tenth of a second and three megabytes, at every start.
 */
import type * as Http from "node:http";

export const { createServer, IncomingMessage, METHODS, ServerResponse } = process.getBuiltinModule("node:http");

export type IncomingMessage = Http.IncomingMessage;
export type ServerResponse = Http.ServerResponse;
export type { RequestListener, Server } from "node:http";
