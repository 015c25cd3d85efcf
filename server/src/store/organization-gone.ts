/** The organization was deleted between the moment its key was looked up and that of writing. */
export class OrganizationGone extends Error {
  constructor(orgId: string) {
    super(`The organization ${orgId} is gone.`);
    this.name = "OrganizationGone";
  }
}
