/** Prospects in SQL. */
import { prospectResource } from "@lineup/api/prospects";
import { RecordStore } from "../record-store.ts";

export const prospectStore = new RecordStore(prospectResource);
