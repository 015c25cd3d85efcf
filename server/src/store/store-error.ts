/** A reason not to open or use a store, in words for the operator. */
export class StoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
  }
}

/** The organization was deleted between the moment its key was looked up and that of writing. */
export class OrganizationGone extends Error {
  constructor(orgId: string) {
    super(`The organization ${orgId} is gone.`);
    this.name = "OrganizationGone";
  }
}

/** Nothing can be erased: some entries of the organization's audit log are not proven without their values. */
export class UnprovenLog extends Error {
  constructor(orgId: string) {
    super(`Some entries of the audit log of ${orgId} have no commitments.`);
    this.name = "UnprovenLog";
  }
}
