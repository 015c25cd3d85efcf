/** What is asked of a prospect, and what is checked before it is sent. The server checks all of it again. */
import type { NOTES_MAX, TAGS_MAX } from "@lineup/api/fields";
import type { Prospect } from "@lineup/api/prospects";
import { type Game, isRoleOf } from "@lineup/api/roles";
import { PROSPECT_FORM_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import { requireText } from "../ui/field-rules.ts";
import type { Priority, Stage } from "./prospects-search.ts";

/** As the server counts; the schemas themselves would come along with the numbers. */
const MOST_NOTES: typeof NOTES_MAX = 10_000;
const MOST_TAGS: typeof TAGS_MAX = 20;

export interface ProspectForm extends Record<string, unknown> {
  ign: string;
  realName: string;
  game: Game;
  role: string | null;
  stage: Stage;
  priority: Priority;
  rating: string;
  currentTeam: string;
  nationality: string;
  region: string;
  source: string;
  assignedTo: string;
  targetTeamId: string | null;
  contractEndDate: number | null;
  lastContactAt: number | null;
  tags: string;
  notes: string;
}

export const NEW_PROSPECT: ProspectForm = {
  ign: "",
  realName: "",
  game: "LoL",
  role: null,
  stage: "identified",
  priority: "medium",
  rating: "",
  currentTeam: "",
  nationality: "",
  region: "",
  source: "",
  assignedTo: "",
  targetTeamId: null,
  contractEndDate: null,
  lastContactAt: null,
  tags: "",
  notes: "",
};

export function formOfProspect(prospect: Prospect): ProspectForm {
  const { ign, realName, game, role, stage, priority, targetTeamId, contractEndDate, lastContactAt } = prospect;
  const { rating, currentTeam, nationality, region, source, assignedTo, tags, notes } = prospect;
  return {
    ...{ ign, realName, game, role, stage, priority, targetTeamId, contractEndDate, lastContactAt },
    rating: rating === null ? "" : String(rating),
    currentTeam: currentTeam ?? "",
    nationality: nationality ?? "",
    region: region ?? "",
    source: source ?? "",
    assignedTo: assignedTo ?? "",
    tags: tags.join(", "),
    notes: notes ?? "",
  };
}

export function bodyOfProspect(form: ProspectForm) {
  const { ign, realName, game, role, stage, priority, targetTeamId, contractEndDate, lastContactAt } = form;
  return {
    ...{ game, stage, priority, targetTeamId, contractEndDate, lastContactAt },
    ign: ign.trim(),
    realName: realName.trim(),
    role: role !== null && isRoleOf(game, role) ? role : null,
    rating: readRating(form.rating) ?? null,
    currentTeam: orNull(form.currentTeam),
    nationality: orNull(form.nationality),
    region: orNull(form.region),
    source: orNull(form.source),
    assignedTo: orNull(form.assignedTo),
    tags: readTags(form.tags),
    notes: orNull(form.notes),
  };
}

export function checkProspect({ ign, rating, tags, notes }: ProspectForm) {
  const { length } = notes.trim();
  return {
    ign: requireText(ign),
    rating: readRating(rating) === undefined ? TEXTS.ratingUnread : null,
    tags: readTags(tags).length > MOST_TAGS ? TEXTS.tagsTooMany : null,
    notes: length > MOST_NOTES ? TEXTS.notesTooLong(MOST_NOTES, length) : null,
  };
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

/** Null for none, undefined for what is no rating. */
function readRating(text: string): number | null | undefined {
  const typed = text.trim().replace(",", ".");
  if (typed === "") return null;
  const rating = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : -1;
  return rating >= 0 && rating <= 10 ? rating : undefined;
}

function readTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
