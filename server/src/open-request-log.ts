/** The request log as a server runs it: its faults in the log of the server, its counts among the metrics. */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { MetricNumber } from "./http/metrics.ts";
import { RequestLog } from "./request-log/request-log.ts";
import type { RequestRecorder } from "./request-log/request-recorder.ts";
import type { Store } from "./store/store.ts";

export interface OpenRequestLogOptions {
  readonly store: Store;
  readonly log: Logger;
  now(): number;
}

export function openRequestLog(
  config: Pick<Config, "dataDir" | "requestLogDays">,
  { store, log, now }: OpenRequestLogOptions,
): RequestLog {
  return new RequestLog({
    store,
    dataDir: config.dataDir,
    keptDays: config.requestLogDays,
    now,
    onFault: (what, err) => log.error({ err }, `${what} cannot be written; trying again`),
    onRecovery: (what) => log.info(`${what} can be written again`),
    onNotice: (notice) => log.warn(notice),
  });
}

export function requestLogNumbers(recorder: Pick<RequestRecorder, "recorded" | "dropped" | "faults">): MetricNumber[] {
  return [
    {
      name: "lineup_request_log_recorded_total",
      help: "Requests written to the request log.",
      kind: "counter",
      read: () => recorder.recorded,
    },
    {
      name: "lineup_request_log_dropped_total",
      help: "Requests left out of the request log, because it could not be written fast enough or they were refusals without end.",
      kind: "counter",
      read: () => recorder.dropped,
    },
    {
      name: "lineup_request_log_faults_total",
      help: "Times that the request log or the use of keys could not be written; it is tried again.",
      kind: "counter",
      read: () => recorder.faults,
    },
  ];
}
