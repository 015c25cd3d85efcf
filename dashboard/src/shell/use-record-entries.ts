/** People, teams, events and contracts for the palette, found by part of a name. They are read when somebody types. */

import { IconCalendar, IconContract, IconShield, IconTelescope, IconUser } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Membership } from "../client/session.ts";
import { catchUp, recordsQuery } from "../records/record-cache.ts";
import type { Kind } from "../records/record-kinds.ts";
import { NAVIGATION_TEXTS } from "../texts/frame-texts.ts";
import { sayDay, sayUtcDay } from "../ui/time-words.ts";
import { mentionsAll, type PaletteEntry } from "./palette-entries.ts";

type Go = ReturnType<typeof useNavigate>;

const LETTERS_MIN = 2;
/** Of each kind, so that none hides the others. */
const SHOWN_OF_KIND = 8;

export function useRecordEntries(membership: Membership | undefined, query: string, go: Go): PaletteEntry[] {
  const orgId = membership?.id ?? "";
  const client = useQueryClient();
  const isAsked = membership !== undefined && query.trim().length >= LETTERS_MIN;
  // What was read for an earlier page may be of then.
  useEffect(() => {
    if (isAsked) void catchUp(client, orgId);
  }, [client, orgId, isAsked]);
  const all = {
    player: useAll("player", orgId, isAsked),
    team: useAll("team", orgId, isAsked),
    prospect: useAll("prospect", orgId, isAsked),
    event: useAll("event", orgId, isAsked),
    contract: useAll("contract", orgId, isAsked),
  };
  if (!isAsked) return [];
  const params = { orgId };
  return [
    ...findEntries(all.player, query, (player) => ({
      ...entryOf(player.id, NAVIGATION_TEXTS.players, player.ign, [player.realName, player.role], IconUser),
      run: () => void go({ to: "/orgs/$orgId/data/players/$playerId", params: { orgId, playerId: player.id } }),
    })),
    ...findEntries(all.team, query, (team) => ({
      ...entryOf(team.id, NAVIGATION_TEXTS.teams, team.name, [team.tag, team.game], IconShield),
      run: () => void go({ to: "/orgs/$orgId/data/teams", params, search: { q: team.name } }),
    })),
    ...findEntries(all.prospect, query, (prospect) => ({
      ...entryOf(
        prospect.id,
        NAVIGATION_TEXTS.prospects,
        prospect.ign,
        [prospect.realName, prospect.game],
        IconTelescope,
      ),
      run: () => void go({ to: "/orgs/$orgId/data/prospects", params, search: { open: prospect.id } }),
    })),
    ...findEntries(all.event, query, (event) => ({
      ...entryOf(
        event.id,
        NAVIGATION_TEXTS.schedule,
        event.title,
        [sayDay(event.startsAt), event.opponent],
        IconCalendar,
      ),
      run: () => void go({ to: "/orgs/$orgId/data/schedule", params, search: { open: event.id } }),
    })),
    ...findEntries(all.contract, query, (contract) => ({
      ...entryOf(contract.id, NAVIGATION_TEXTS.contracts, contract.playerIgn, sayTerm(contract), IconContract),
      run: () => void go({ to: "/orgs/$orgId/data/contracts", params, search: { open: contract.id } }),
    })),
  ];
}

function useAll<K extends Kind>(kind: K, orgId: string, isAsked: boolean) {
  const { data } = useQuery({ ...recordsQuery(useQueryClient(), orgId, kind), enabled: isAsked });
  return data?.byId.values();
}

function entryOf(
  id: string,
  group: string,
  name: string,
  facts: readonly (string | null)[],
  icon: PaletteEntry["icon"],
) {
  return { id, group, name, note: facts.filter(Boolean).join(" · "), icon };
}

function sayTerm({ status, endDate }: { readonly status: string; readonly endDate: number | null }): string[] {
  return endDate === null ? [status] : [status, sayUtcDay(endDate)];
}

function findEntries<T>(
  records: Iterable<T> | undefined,
  query: string,
  toEntry: (record: T) => PaletteEntry,
): PaletteEntry[] {
  const found: PaletteEntry[] = [];
  for (const record of records ?? []) {
    const entry = toEntry(record);
    if (mentionsAll(entry, query)) found.push(entry);
    if (found.length >= SHOWN_OF_KIND) break;
  }
  return found;
}
