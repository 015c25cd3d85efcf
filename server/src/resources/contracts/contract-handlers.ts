/** The verbs of contracts. */
import { ApiError } from "@lineup/api/errors";
import type { Verb } from "../context.ts";
import { findContract, selectContracts, selectExpiringContracts } from "./contract-store.ts";

export const listContracts: Verb<"listContracts"> = ({ org, now }, { query }) => selectContracts(org, query, now);

export const listExpiringContracts: Verb<"listExpiringContracts"> = ({ org, now }, { query }) =>
  selectExpiringContracts(org, query, now);

export const getContract: Verb<"getContract"> = async ({ org, now }, { id }) => {
  const contract = await findContract(org, id, now);
  if (contract !== undefined) return contract;
  throw new ApiError("NOT_FOUND", "No contract has this id. GET /contracts lists the contracts of the organization.");
};
