/** What a test run has of one service, or why it has none. */

export interface FoundService {
  readonly name: string;
  readonly version: string;
  /** Where it is, without user and password. */
  readonly place: string;
  /** Such as "was running" */
  readonly origin: string;
}

export interface MissingService {
  readonly name: string;
  /** The end of a sentence. */
  readonly missingBecause: string;
}

/** In which the environment names the services to use. */
export const URL_VARIABLES = { postgres: "LINEUP_TEST_POSTGRES_URL", redis: "LINEUP_TEST_REDIS_URL" } as const;
/** In place of a URL: none that runs already is to be used, even if there is one. */
export const START_OWN = "own";

export function isMissing(service: object): service is MissingService {
  return "missingBecause" in service;
}

export function describeService(service: FoundService | MissingService): string {
  if (isMissing(service)) return `${describeMissing(service)} Tests that need it are skipped.`;
  return `${service.name} ${service.version} at ${service.place} (${service.origin})`;
}

export function describeMissing({ name, missingBecause }: MissingService): string {
  return `${name}: ${missingBecause}.`;
}

/** The host and port of a URL, or the folder of a Unix socket; never its password. */
export function describePlace(url: string, usualPort: number): string {
  const { hostname, port } = new URL(url);
  return hostname.startsWith("%2F") ? decodeURIComponent(hostname) : `${hostname}:${port === "" ? usualPort : port}`;
}
