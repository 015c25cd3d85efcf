/** Every setting there is, with its default and its meaning; what may stand in each, `config.ts` judges. */

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Setting {
  readonly name: string;
  readonly default?: string;
  readonly meaning: string;
  /** Never shown, and may be given as `…_FILE`. */
  readonly secret?: boolean;
}

export const SETTINGS: readonly Setting[] = [
  { name: "LINEUP_HOST", default: "127.0.0.1", meaning: "The address to listen on." },
  {
    name: "LINEUP_PORT",
    default: "3000",
    meaning: "The port to listen on; 0 takes any free one. PORT is honoured when this is unset.",
  },
  {
    name: "LINEUP_WORKERS",
    default: "1",
    meaning:
      "How many processes serve on the port, 1 to 64, or auto for one a core; several need PostgreSQL and Redis. The option --workers goes before it.",
  },
  { name: "LINEUP_DATA_DIR", default: "./data", meaning: "The folder that holds the store." },
  {
    name: "LINEUP_DATABASE_URL",
    meaning: "PostgreSQL, as postgres://user:password@host/database. Unset: the embedded store in the data folder.",
    secret: true,
  },
  {
    name: "LINEUP_DATABASE_DIRECT_URL",
    meaning: "The same database past a pooler such as PgBouncer, for notifications and locks.",
    secret: true,
  },
  {
    name: "LINEUP_DATABASE_POOL",
    default: "10",
    meaning: "How many connections to PostgreSQL a server opens at most, 1 to 500, besides the one it listens on.",
  },
  {
    name: "LINEUP_REDIS_URL",
    meaning:
      "Redis, as redis://host:6379 or rediss://…, where several servers count requests together. Unset: in the process.",
    secret: true,
  },
  {
    name: "LINEUP_LOG_LEVEL",
    default: "info",
    meaning: `How much is logged: ${LOG_LEVELS.join(", ")}.`,
  },
  {
    name: "LINEUP_TLS_CERT",
    meaning: "The certificate's file (PEM), to serve HTTPS; together with LINEUP_TLS_KEY.",
  },
  {
    name: "LINEUP_TLS_KEY",
    meaning: "The file of the certificate's private key (PEM); together with LINEUP_TLS_CERT.",
  },
  {
    name: "LINEUP_TRUST_PROXY",
    meaning: "Addresses or CIDR ranges of the proxies whose X-Forwarded-* headers are believed, separated by commas.",
  },
  {
    name: "LINEUP_METRICS_TOKEN",
    meaning: "The bearer token that opens /metrics to other machines, of at least 16 characters.",
    secret: true,
  },
  {
    name: "LINEUP_DRAIN_MS",
    default: "0",
    meaning: "How long to go on serving after SIGTERM while /readyz answers 503, in milliseconds, 0 to 600000.",
  },
  {
    name: "LINEUP_PUBLIC_URL",
    meaning:
      "The address under which people reach the dashboard, such as https://lineup.example.com, for the links it makes; needed with LINEUP_SMTP_URL.",
  },
  {
    name: "LINEUP_SECRET",
    meaning:
      "Seals the audit log, signs sessions and hides second factors, of at least 32 characters (64 hexadecimal digits); the same on every server, and required with PostgreSQL. Unset: made at the first start, for the audit log in the data folder, for sessions in the store.",
    secret: true,
  },
  {
    name: "LINEUP_ADMIN_EMAIL",
    meaning:
      "The email address of the first owner, made at start while nobody has an account; with LINEUP_ADMIN_PASSWORD.",
  },
  {
    name: "LINEUP_ADMIN_PASSWORD",
    meaning: "The first owner's password, of at least 12 characters; with LINEUP_ADMIN_EMAIL.",
    secret: true,
  },
  {
    name: "LINEUP_SMTP_URL",
    meaning:
      "The mail server, as smtp://user:password@host:587 or smtps://…, to send invitations and password links by mail.",
    secret: true,
  },
  {
    name: "LINEUP_MAIL_FROM",
    meaning: "The sender of such mail, such as lineup@example.com; needed with LINEUP_SMTP_URL.",
  },
  {
    name: "LINEUP_REQUEST_LOG_DAYS",
    default: "7",
    meaning: "For how many days every request of a key is kept to be looked up, 0 to 400; 0 keeps none.",
  },
  {
    name: "LINEUP_CHANGES_DAYS",
    default: "30",
    meaning: "For how many days those who follow GET /changes may stay away and still catch up, 1 to 3650.",
  },
  {
    name: "LINEUP_WEBHOOK_ALLOW",
    meaning:
      "Addresses or CIDR ranges that webhooks may be sent to though they are not public, such as 10.1.2.0/24, separated by commas.",
  },
];
