/** One figure with its name. StatCard { label, value, note? }; `value` undefined shows a skeleton. */
import { Paper, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";

export interface StatCardProps {
  readonly label: string;
  readonly value: ReactNode | undefined;
  readonly note?: ReactNode;
}

export function StatCard({ label, value, note }: StatCardProps) {
  return (
    <Paper withBorder px="md" py="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={24} my={5} width="50%" />
      ) : (
        <Text fz="1.5rem" fw={650} lh={1.4} className="figures">
          {value}
        </Text>
      )}
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </Paper>
  );
}
