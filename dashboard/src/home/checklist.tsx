/** What to do first: team, players, key, first call. Gone when all is done. Checklist { organization, checklist } */
import { Anchor, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCheck, IconCircleDashed } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { type Membership, useAllows } from "../client/session.ts";
import { makeRepeatCurl } from "../compliance/shell-lines.ts";
import { CHECKLIST_TEXTS } from "../texts/home-texts.ts";
import { CopyField } from "../ui/copy-button.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";

export interface ChecklistProps {
  readonly organization: Membership;
  readonly checklist: HomeView["checklist"];
}

export function Checklist({ organization, checklist }: ChecklistProps) {
  const mayCreate = useAllows("keys:manage");
  const steps = [checklist.hasTeam, checklist.hasPlayers, checklist.hasKey, checklist.hasFirstCall];
  const done = steps.filter(Boolean).length;
  if (done === steps.length) return null;
  const call = makeRepeatCurl(window.location.origin, { method: "GET", target: "/players" });
  return (
    <SectionCard title={CHECKLIST_TEXTS.title} lead={CHECKLIST_TEXTS.lead(done, steps.length)}>
      <ol className={classes.rows}>
        <Step title={CHECKLIST_TEXTS.team} isDone={checklist.hasTeam}>
          <Text>{CHECKLIST_TEXTS.teamBody}</Text>
          <FillLinks orgId={organization.id} to="/orgs/$orgId/data/teams" label={CHECKLIST_TEXTS.teamButton} />
        </Step>
        <Step title={CHECKLIST_TEXTS.players} isDone={checklist.hasPlayers}>
          <Text>{CHECKLIST_TEXTS.playersBody}</Text>
          <FillLinks orgId={organization.id} to="/orgs/$orgId/data/players" label={CHECKLIST_TEXTS.playersButton} />
        </Step>
        <Step title={CHECKLIST_TEXTS.key} isDone={checklist.hasKey}>
          <Text>{CHECKLIST_TEXTS.keyBody}</Text>
          {mayCreate ? (
            <ButtonLink to="/orgs/$orgId/compliance/keys/new" params={{ orgId: organization.id }} w="fit-content">
              {CHECKLIST_TEXTS.keyButton}
            </ButtonLink>
          ) : (
            <Text c="dimmed">{CHECKLIST_TEXTS.keyAsk}</Text>
          )}
        </Step>
        <Step title={CHECKLIST_TEXTS.call} isDone={checklist.hasFirstCall}>
          {mayCreate ? (
            <>
              <Text>{CHECKLIST_TEXTS.callBody}</Text>
              <CopyField label={CHECKLIST_TEXTS.callLabel} value={call} hideLabel />
              <Anchor href="/docs" w="fit-content">
                {CHECKLIST_TEXTS.reference}
              </Anchor>
            </>
          ) : (
            <Text c="dimmed">{CHECKLIST_TEXTS.callAsk}</Text>
          )}
        </Step>
      </ol>
    </SectionCard>
  );
}

interface FillLinksProps {
  readonly orgId: string;
  readonly to: "/orgs/$orgId/data/teams" | "/orgs/$orgId/data/players";
  readonly label: string;
}

function FillLinks({ orgId, to, label }: FillLinksProps) {
  const mayFill = useAllows("data:manage");
  if (!mayFill) return <Text c="dimmed">{CHECKLIST_TEXTS.fillAsk}</Text>;
  return (
    <Group gap="xs">
      <ButtonLink to={to} params={{ orgId }}>
        {label}
      </ButtonLink>
      <ButtonLink to="/orgs/$orgId/data/import-export" params={{ orgId }} variant="default">
        {CHECKLIST_TEXTS.importButton}
      </ButtonLink>
    </Group>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  /** What to do; left out once it is done. */
  readonly children: ReactNode;
}

function Step({ title, isDone, children }: StepProps) {
  const mark = isDone ? <IconCheck size={16} aria-hidden /> : <IconCircleDashed size={16} aria-hidden />;
  return (
    <li className={classes.step} data-done={isDone || undefined}>
      <ThemeIcon variant="light" color={isDone ? "green" : "gray"} radius="xl" size={28}>
        {mark}
      </ThemeIcon>
      <div className={classes.grow}>
        <Group gap="xs">
          <Title order={3}>{title}</Title>
          <Text size="sm" c="dimmed">
            {isDone ? CHECKLIST_TEXTS.done : CHECKLIST_TEXTS.toDo}
          </Text>
        </Group>
        {!isDone && <Stack gap="xs">{children}</Stack>}
      </div>
    </li>
  );
}
