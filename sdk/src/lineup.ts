import { ChangeFeed } from "./change-feed.ts";
import type { Answer } from "./read-answer.ts";
import { RecordList } from "./record-list.ts";
import type {
  Contract,
  KeyDescription,
  ListContractsQuery,
  ListExpiringContractsQuery,
  ListPlayersQuery,
  ListProspectsQuery,
  ListRosterQuery,
  ListScheduleQuery,
  ListTeamsQuery,
  Player,
  PlayerCreate,
  PlayerUpdate,
  Prospect,
  ProspectCreate,
  ProspectUpdate,
  RosterEntry,
  ScheduleEntry,
  Team,
} from "./record-types.ts";
import { type CallOptions, type LineupOptions, Transport, type UpdateOptions, type WriteOptions } from "./transport.ts";

/** One organization's data, as far as the key opens it. */
export class Lineup {
  readonly players: WritableRecords<Player, ListPlayersQuery, PlayerCreate, PlayerUpdate>;
  readonly teams: RecordLists<Team, ListTeamsQuery>;
  readonly roster: RecordLists<RosterEntry, ListRosterQuery>;
  readonly schedule: RecordLists<ScheduleEntry, ListScheduleQuery>;
  readonly prospects: WritableRecords<Prospect, ListProspectsQuery, ProspectCreate, ProspectUpdate>;
  readonly contracts: Contracts;
  readonly changes: ChangeFeed;
  readonly #transport: Transport;

  constructor(options: LineupOptions) {
    const transport = new Transport(options);
    this.players = new WritableRecords(transport, "/players");
    this.teams = new RecordLists(transport, "/teams");
    this.roster = new RecordLists(transport, "/roster");
    this.schedule = new RecordLists(transport, "/schedule");
    this.prospects = new WritableRecords(transport, "/prospects");
    this.contracts = new Contracts(transport, "/contracts");
    this.changes = new ChangeFeed(transport);
    this.#transport = transport;
  }

  /** The key that is asking: its name, permissions, expiry and organization, and what is left of its limits. */
  async me(options: CallOptions = {}): Promise<KeyDescription> {
    return (await this.#transport.send({ method: "GET", path: "/me" }, options)).data as KeyDescription;
  }
}

/** Records that are read as lists. */
export class RecordLists<T, Q extends object> {
  protected readonly transport: Transport;
  protected readonly path: string;

  constructor(transport: Transport, path: string) {
    this.transport = transport;
    this.path = path;
  }

  /** Without a `limit`, everything that matches, in one request. Walk it with `for await`, by `pages()`, or take it as an array. */
  list(query: Q = {} as Q, options: CallOptions = {}): RecordList<T> {
    return listOf(this.transport, this.path, query, options);
  }
}

/** Records that are read one by one too. */
export class ReadableRecords<T extends object, Q extends object> extends RecordLists<T, Q> {
  /** Throws a LineupError with the code NOT_FOUND where there is none. */
  async get(id: string, options: CallOptions = {}): Promise<T> {
    return tagged(await this.transport.send({ method: "GET", path: this.pathOf(id) }, options));
  }

  protected pathOf(id: string): string {
    // Another text might be another address.
    if (!/^[a-z]+_\w+$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not the id of a record.`);
    return `${this.path}/${id}`;
  }
}

/** Records that are written too, each write once however often it has to be tried. */
export class WritableRecords<T extends object, Q extends object, C, U> extends ReadableRecords<T, Q> {
  async create(body: C, options: WriteOptions = {}): Promise<T> {
    return tagged(await this.transport.send({ method: "POST", path: this.path, body }, options));
  }

  /** Changes the fields given, and no other; null clears one that may be null. */
  async update(id: string, body: U, options: UpdateOptions = {}): Promise<T> {
    return tagged(await this.transport.send({ method: "PATCH", path: this.pathOf(id), body }, options));
  }
}

export class Contracts extends ReadableRecords<Contract, ListContractsQuery> {
  /** Active contracts that end within `days` (30 when left out), soonest first. */
  expiring(query: ListExpiringContractsQuery = {}, options: CallOptions = {}): RecordList<Contract> {
    return listOf(this.transport, `${this.path}/expiring`, query, options);
  }
}

function listOf<T>(transport: Transport, path: string, query: object, options: CallOptions): RecordList<T> {
  // A cursor carries the limit, filters and sort of its first page.
  return new RecordList((cursor) =>
    transport.send({ method: "GET", path, query: cursor === undefined ? query : { cursor } }, options),
  );
}

const etags = new WeakMap<object, string>();

function tagged<T extends object>({ data, etag }: Answer): T {
  if (etag !== null) etags.set(data as T, etag);
  return data as T;
}

/** What to give as `ifMatch`: the version of a record that `get`, `create` or `update` has given back. */
export function etagOf(record: object): string {
  const etag = etags.get(record);
  // Undefined would be no condition, and the update would be made whatever has changed.
  if (etag === undefined)
    throw new TypeError("This record has no ETag: take the object itself that get, create or update has given back.");
  return etag;
}
