/** All that the package offers. */
// biome-ignore-all lint/performance/noBarrelFile: A package has one door.
export type { ChangeFeed, ChangePage, FollowOptions } from "./change-feed.ts";
export type { Contracts, ReadableRecords, RecordLists, WritableRecords } from "./lineup.ts";
export { etagOf, Lineup } from "./lineup.ts";
export type { ErrorDetail, LimitWindow, LineupErrorCode } from "./lineup-error.ts";
export {
  ConflictError,
  ConnectionError,
  CursorExpiredError,
  KeyError,
  LineupError,
  RateLimitError,
  WebhookError,
} from "./lineup-error.ts";
export type { Page, RecordList } from "./record-list.ts";
export type * from "./record-types.ts";
export type { CallOptions, LineupOptions, Retry, UpdateOptions, WriteOptions } from "./transport.ts";
export type { ChangeEvent, PingEvent, ReceivedWebhook, WebhookEvent } from "./verify-webhook.ts";
export { verifyWebhook } from "./verify-webhook.ts";
