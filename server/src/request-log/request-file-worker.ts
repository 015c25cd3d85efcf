/**
 * Works on the file of the request log in a thread of its own. A write waits for the disk now and then, and a search reads for
 * some milliseconds; neither is to hold up those who are being served.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadData } from "../start-thread.ts";
import { codeOf, RequestFile } from "./request-file.ts";
import type { FileAsk, FileGiven, FileReply } from "./request-file-thread.ts";

const port = parentPort;
if (port === null) throw new Error("This file runs in a worker thread, which lineup starts.");
const { file } = (workerData as ThreadData<FileGiven>).given;
const say = (reply: FileReply) => port.postMessage(reply);
const requests = new RequestFile(file, (notice) => say({ notice }));

function answer({ number, ask }: FileAsk): FileReply {
  try {
    if (ask !== "close") return { number, ...requests.run(ask.connection, ask.sql, ask.parameters) };
    requests.close();
    return { number, rows: [], changes: 0 };
  } catch (error) {
    const message = `${file}: ${error instanceof Error ? error.message : error}`;
    return { number, error: { message, code: codeOf(error) } };
  }
}

port.on("message", (ask: FileAsk) => say(answer(ask)));
