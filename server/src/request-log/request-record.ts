/** What is known of one request by a key. Never the key itself, and never a body. */
export interface RequestRecord {
  readonly orgId: string;
  readonly keyId: string;
  /** The request id; the time of the request is part of it. */
  readonly id: string;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The endpoint's name, or "unknown". */
  readonly endpoint: string;
  readonly status: number;
  readonly code: string | null;
  readonly durationUs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** As it is read again, with the texts as they were kept. */
export interface LoggedRequest extends Omit<RequestRecord, "orgId"> {
  /** Path and query under the API's prefix. */
  readonly target: string;
  readonly at: number;
}
