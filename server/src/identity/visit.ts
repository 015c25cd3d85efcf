/** Where a request came from, as far as anybody may rely on it. */
export interface Visit {
  readonly requestId: string;
  /** The client's address, behind trusted proxies too. */
  readonly address: string;
  readonly userAgent: string | null;
  /** The cookies as they were sent. */
  readonly cookie: string;
  /** Whether the client came over HTTPS; if not, it is this machine. */
  readonly isSecure: boolean;
  /** Where the dashboard is for this client, such as https://lineup.example.com: links begin with it. */
  readonly baseUrl: string;
  readonly now: number;
}

export interface SignedInUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isOperator: boolean;
  /** The session's own id, never its token. */
  readonly sessionId: string;
}
