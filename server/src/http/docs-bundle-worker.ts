/**
 * Takes the browser script out of Scalar's package and compresses it, in a thread of its own: the package holds the
 * script as a string of four megabytes, and reading it would keep the server from answering for a few hundred
 * milliseconds. The package hands the script out only through its plugin, so the plugin is asked for it.
 */
import { parentPort } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";

const app = Fastify();
await app.register(scalar, { routePrefix: "/reference", configuration: { url: "/openapi.json" } });
const { statusCode, rawPayload } = await app.inject("/reference/js/scalar.js");
if (statusCode !== 200) throw new Error(`The reference package answered ${statusCode} for its own script`);
parentPort?.postMessage(gzipSync(rawPayload));
