import type { IncomingMessage, ServerResponse } from "node:http";

/** For a server of a test: an exchange whose other side goes away ends alone, and does not end the process of the tests. */
export function takeEach(take: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  return (request: IncomingMessage, response: ServerResponse): void =>
    void take(request, response).catch(() => response.destroy());
}
