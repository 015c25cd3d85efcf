/** What the parts of identity work with. */
import type { Store } from "../store/store.ts";
import type { Auth } from "./auth.ts";
import type { KnownDevices } from "./known-devices.ts";
import type { FaultLog, Mailer } from "./mailer.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import type { SignedInUser, Visit } from "./visit.ts";

export interface IdentityTools {
  readonly store: Store;
  /** The authentication library for this visit's kind of connection. */
  authFor(visit: Visit): Auth;
  readonly passwords: PasswordHashing;
  readonly devices: KnownDevices;
  /** Undefined where the server sends no mail. */
  readonly mailer: Mailer | undefined;
  /** What links in mail begin with: never what a request says of itself. */
  readonly publicUrl: string | undefined;
  /** Hides what was typed where tries are counted. */
  readonly tryKey: string;
  /** Counts a try of this address. Returns 0, or how many milliseconds it has to wait when it has had too many. */
  takeAddress(address: string): number | Promise<number>;
  /** Users whose refused tries are about to be told to the audit log. */
  readonly refusalsToNote: Set<string>;
  readonly log: FaultLog;
  /** For what nobody waits for; it is waited for when the server stops. */
  inBackground(work: () => Promise<void>): void;
}

/** What a visitor who is signed in does is done with these. */
export interface OwnVisit {
  readonly tools: IdentityTools;
  readonly visit: Visit;
  readonly user: SignedInUser;
}
