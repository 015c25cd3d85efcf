/** A worker: the whole server in a thread of its own, beside others on the same port. */
import { startServer } from "../app.ts";
import { GATHERED_MAX_BYTES, LogWriter, type PieceTaker } from "../log-writer.ts";
import { READY_WITHIN_MS } from "../open-server-store.ts";
import type { StatementRunner } from "../request-log/request-file-thread.ts";
import type { MakeWrite } from "../resources/context.ts";
import { shareIds } from "../store/ids.ts";
import { MarksRelay } from "./marks-relay.ts";
import { SharedWords } from "./shared-words.ts";
import { SharedWriteGate } from "./shared-write-gate.ts";
import { faultOf, ThreadLine, type ThreadPort } from "./thread-line.ts";
import type { ToCoordinator, ToWorker, WorkerStart } from "./worker-messages.ts";
import type { OfferedByWorker, WorkerPlace } from "./worker-place.ts";
import { WritesByOther } from "./write-relay.ts";

type Line = ThreadLine<ToWorker, ToCoordinator>;

/** The request log gives up by itself before this. */
const STATEMENT_PATIENCE_MS = 30_000;
const METRICS_PATIENCE_MS = 5_000;
const CATCH_UP_PATIENCE_MS = 1_000;
/** As long as a clock can be set for: nobody may be reading the log. */
const LOG_PATIENCE_MS = 2 ** 31 - 1;

export async function serveInThread(port: ThreadPort, start: WorkerStart): Promise<void> {
  const line: Line = new ThreadLine(port, (error, topic) => line.tell("fault", { topic, why: faultOf(error) }));
  await serve(line, start).catch((error: unknown) => line.tell("failed", faultOf(error)));
}

async function serve(line: Line, start: WorkerStart): Promise<void> {
  const { config, number, port, limits } = start;
  const words = new SharedWords(start.words);
  shareIds(words.idTicket, false);
  const marks = new MarksRelay(false, (seen) => line.tell("marks", seen));
  line.on("marks", (seen) => marks.hear(seen));
  const gate = new SharedWriteGate(words, number);
  const worker: WorkerPlace = {
    number,
    workers: config.workers,
    port,
    limits,
    ties: { writes: words.writes, gate, marks },
    requestFile: requestFileOver(line),
    // PostgreSQL has as many writers as there are connections.
    shareWrites: (makeHere) => (config.databaseUrl === undefined ? writesOver(line, gate, makeHere) : makeHere),
    // Whoever wants to read reads what is there.
    catchUpOthers: async () => {
      await line.ask("catchUpOthers", undefined, CATCH_UP_PATIENCE_MS).catch(() => undefined);
    },
    readAllMetrics: () => line.ask("readAllMetrics", undefined, METRICS_PATIENCE_MS),
    findUnreadiness: () =>
      line.ask("findUnreadiness", undefined, READY_WITHIN_MS).catch(() => "the server is busy with itself; try again"),
    findDegradation: () => describeCrew(words.serving, config.workers),
    offer: (offered) => offerOver(line, offered),
  };
  const logTo = new LogWriter(logOver(line), GATHERED_MAX_BYTES / config.workers);
  const running = await startServer(config, { logTo, worker });
  line.on("stop", async () => {
    await running.stop().finally(() => marks.flush());
  });
  line.tell("listening", running.address);
}

function requestFileOver(line: Line): StatementRunner {
  return {
    run: (connection, sql, parameters) =>
      line.ask("requestFile", { connection, sql, parameters }, STATEMENT_PATIENCE_MS),
    // Others go on with it.
    close: async () => {},
  };
}

function writesOver(line: Line, gate: SharedWriteGate, makeHere: MakeWrite): MakeWrite {
  const writes = new WritesByOther({
    send: (all) => line.tell("writes", all),
    isSomebodyWriting: () => gate.isTaken,
    makeHere,
  });
  line.on("written", (outcomes) => writes.hear(outcomes));
  return writes.make;
}

function offerOver(line: Line, { collectMetrics, writeRequests }: OfferedByWorker): void {
  line.on("collectMetrics", () => collectMetrics());
  line.on("writeRequests", () => writeRequests());
}

function describeCrew(serving: number, workers: number): string | undefined {
  return serving >= workers ? undefined : `${serving} of ${workers} workers serve; others are being started`;
}

/** Lines of several threads stand whole beside each other because one of them writes all. */
function logOver(line: Line): PieceTaker {
  return {
    write: (piece, onWritten) => {
      // Copied once, and given away: on its way as a message it would be copied twice more.
      const lines = new Uint8Array(piece);
      line.ask("log", lines, LOG_PATIENCE_MS, [lines.buffer]).then(
        () => onWritten(null, piece.length),
        (error: NodeJS.ErrnoException) => onWritten(error, 0),
      );
    },
    writeSync: (piece) => line.tell("log", new Uint8Array(piece)),
    isSure: true,
  };
}
