/** A titled part of a page. SectionCard { title, lead?, actions?, children, heading?, pad? }; pad={false} lets a table reach the edges. */
import { Group, Paper, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

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
      <Group justify="space-between" align="flex-start" mb="sm" gap="xs">
        <div>
          <Title order={heading} id={titleId}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {lead}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
