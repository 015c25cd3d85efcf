/** A log as far as identity needs one: for errors that reach nobody else. */
export interface FaultLog {
  error(details: { readonly err: unknown }, message: string): void;
}
