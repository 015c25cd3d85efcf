/** A titled part of a page. SectionCard { title, lead?, actions?, children, heading? } */
import { Group, Paper, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./section-card.module.css";

export interface SectionCardProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly heading?: 2 | 3;
}

export function SectionCard({ title, lead, actions, children, heading = 2 }: SectionCardProps) {
  const titleId = useId();
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={titleId}>
      <div className={classes.head}>
        <Group justify="space-between" gap="xs" mih={28}>
          <Title order={heading} id={titleId}>
            {title}
          </Title>
          {actions}
        </Group>
        {lead !== undefined && (
          <Text size="sm" c="dimmed" maw={680} component="div">
            {lead}
          </Text>
        )}
      </div>
      {children}
    </Paper>
  );
}
