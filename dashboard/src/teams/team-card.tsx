/** A team at a glance: what it plays, who starts, what is missing, what is next. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";
import { ActionIcon, Avatar, Badge, Menu, Paper, Text, Title } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArchive,
  IconArchiveOff,
  IconCalendar,
  IconDotsVertical,
  IconLayoutKanban,
  IconPencil,
  IconTrash,
} from "@tabler/icons-react";
import { memo, useId, useMemo } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { lineUpOf, type TeamColumn } from "../roster/line-up.ts";
import { findInitials } from "../shell/initials.ts";
import { COLUMN_TEXTS } from "../texts/roster-texts.ts";
import { DIVISION_NAMES, TEAM_STATUS_NAMES, TEAM_TEXTS as TEXTS } from "../texts/team-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { MenuItemLink, TextLink } from "../ui/links.tsx";
import classes from "./teams-page.module.css";

const STARTERS_SHOWN = 6;

export type TeamQuestion = "edit" | "delete" | "status";

export interface TeamCardProps {
  readonly team: Team;
  readonly column: TeamColumn;
  readonly next: ScheduleEntry | undefined;
  readonly onAct: (act: TeamQuestion, team: Team) => void;
}

export const TeamCard = memo(function TeamCard({ team, column, next, onAct }: TeamCardProps) {
  const titleId = useId();
  return (
    <Paper component="li" id={team.id} withBorder p="md" className={classes.card ?? ""} aria-labelledby={titleId}>
      <TeamHead team={team} titleId={titleId} onAct={onAct} />
      <LineUpGlance column={column} />
      <NextEvent next={next} />
    </Paper>
  );
});

interface TeamHeadProps extends Pick<TeamCardProps, "team" | "onAct"> {
  readonly titleId: string;
}

/** Stays as it is while line-ups come. */
const TeamHead = memo(function TeamHead({ team, titleId, onAct }: TeamHeadProps) {
  const { id: orgId } = useOrganization();
  const facts = [team.game, DIVISION_NAMES[team.division], ...(team.region === null ? [] : [team.region])];
  return (
    <div className={classes.head}>
      <Avatar radius="md" color="petrol" aria-hidden className={classes.initials ?? ""}>
        {team.tag?.slice(0, 3) || findInitials(team.name)}
      </Avatar>
      <div className={classes.grow}>
        <Title order={2} id={titleId} className={classes.name ?? ""}>
          <TextLink to="/orgs/$orgId/data/roster" params={{ orgId }} search={{ team: team.id }} inherit c="inherit">
            {team.name}
          </TextLink>
        </Title>
        <Text size="sm" c="dimmed">
          {facts.join(" · ")}
        </Text>
      </div>
      {team.status === "inactive" && (
        <Badge variant="light" color="gray" tt="none" radius="sm">
          {TEAM_STATUS_NAMES.inactive}
        </Badge>
      )}
      <TeamMenu team={team} onAct={onAct} />
    </div>
  );
});

function TeamMenu({ team, onAct }: Pick<TeamCardProps, "team" | "onAct">) {
  const { id: orgId } = useOrganization();
  const mayManage = useAllows("data:manage");
  if (!mayManage) return null;
  const isActive = team.status === "active";
  const StatusIcon = isActive ? IconArchive : IconArchiveOff;
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={28} aria-label={TEXTS.menu(team.name)}>
          <IconDotsVertical size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItemLink
          to="/orgs/$orgId/data/roster"
          params={{ orgId }}
          search={{ team: team.id }}
          leftSection={<IconLayoutKanban size={16} aria-hidden />}
        >
          {TEXTS.roster}
        </MenuItemLink>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onAct("edit", team)}>
          {TEXTS.edit}
        </Menu.Item>
        <Menu.Item leftSection={<StatusIcon size={16} aria-hidden />} onClick={() => onAct("status", team)}>
          {isActive ? TEXTS.makeInactive : TEXTS.makeActive}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => onAct("delete", team)}>
          {TEXTS.delete}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function LineUpGlance({ column }: { readonly column: TeamColumn }) {
  const { sections, faults } = useMemo(() => lineUpOf(column, serverNow()), [column]);
  const { starters, substitutes, staff } = sections;
  if (starters.length + substitutes.length + staff.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {TEXTS.nobody}
      </Text>
    );
  }
  const rest = starters.length - STARTERS_SHOWN;
  return (
    <div>
      <ul className={classes.starters} aria-label={TEXTS.lineUp}>
        {starters.slice(0, STARTERS_SHOWN).map(({ playerId, ign, role }) => (
          <li key={playerId}>
            <span className={classes.role}>{role}</span>
            <span className={classes.name}>{ign}</span>
          </li>
        ))}
      </ul>
      <Text size="xs" c="dimmed" mt={6}>
        {rest > 0 && `${TEXTS.others(rest)}. `}
        {TEXTS.counts(starters.length, substitutes.length, staff.length)}.
      </Text>
      {faults.missing.length + faults.doubled.length > 0 && (
        <Text size="xs" className={classes.faults ?? ""}>
          <IconAlertTriangle size={14} aria-hidden />
          {[
            ...(faults.missing.length > 0 ? [COLUMN_TEXTS.missing(faults.missing)] : []),
            ...(faults.doubled.length > 0 ? [COLUMN_TEXTS.doubled(faults.doubled)] : []),
          ].join(". ")}
        </Text>
      )}
    </div>
  );
}

function NextEvent({ next }: { readonly next: ScheduleEntry | undefined }) {
  return (
    <Text size="sm" c="dimmed" component="div" className={classes.next ?? ""}>
      <IconCalendar size={16} aria-hidden />
      {next === undefined ? (
        TEXTS.noNext
      ) : (
        <span className={classes.grow}>
          <Text span inherit c="var(--mantine-color-text)">
            {next.title}
          </Text>
          {" · "}
          <ExactTime at={next.startsAt} as="day-time" isStop={false} />
        </span>
      )}
    </Text>
  );
}
