/**
 * The protocol, as its own library speaks it: one message in, one answer out, and nothing kept between two of them. Clients of the revision of 2026 send with each
 * message what they are; those before it begin with a handshake, after which this server remembers nothing either.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../http/json-body.ts";
import type { NamedEndpoint } from "../http/request-target.ts";
import type { ToolResult } from "./short-answer.ts";
import { findTool, INSTRUCTIONS, listTools } from "./tools.ts";

export interface Served {
  readonly version: string;
  readonly holder: Parameters<typeof listTools>[0];
  callTool(endpoint: NamedEndpoint, given: JsonObject): Promise<ToolResult>;
  /** What went wrong inside the library. */
  onFault(error: Error): void;
}

/** Of no use but to the library, which looks at methods and headers alone. */
const URL_OF_NOTHING = "http://localhost/mcp";

/** `headers` are those of the protocol. */
export async function answerMessage(
  message: JsonObject,
  headers: Readonly<Record<string, string>>,
  served: Served,
): Promise<Response> {
  const request = new Request(URL_OF_NOTHING, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
  });
  const options = { parsedBody: message };
  if (!(await isLegacyRequest(request, message))) {
    const handler = createMcpHandler(() => makeServer(served), { legacy: "reject", onerror: served.onFault });
    return handler.fetch(request, options);
  }
  const server = makeServer(served);
  server.onerror = served.onFault;
  // Nothing is ever sent before the answer, so there is no need of a stream.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, options);
  } finally {
    await server.close();
  }
}

function makeServer({ version, holder, callTool }: Served): Server {
  const server = new Server(
    { name: "lineup", title: "Lineup", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  );
  server.setRequestHandler("tools/list", () => ({ tools: listTools(holder) }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const endpoint = findTool(params.name);
    if (endpoint === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, UNKNOWN_TOOL);
    return { ...(await callTool(endpoint, params.arguments ?? {})) };
  });
  return server;
}

/** Without the name, which may be a key in the wrong place. */
const UNKNOWN_TOOL = "No tool has this name. tools/list tells those that this key may call.";

/** For forms that a server lets people fill in, which this one never does; the usual one takes a while to make. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error("Nobody is asked to fill in a form.");
  },
};
