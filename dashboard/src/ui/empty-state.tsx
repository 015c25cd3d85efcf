/**
 * What stands where there is nothing yet. EmptyState { icon, title, children?, action?, heading? }
 *   title     what is missing        children  what to do about it
 *   action    a button or link       heading   its level among the page's headings, 2 unless said
 */
import { Box, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { ReactNode } from "react";

export interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  readonly heading?: 2 | 3;
}

export function EmptyState({ icon, title, children, action, heading = 2 }: EmptyStateProps) {
  return (
    <Stack align="center" gap={6} py={heading === 2 ? 48 : 24} px="md" ta="center">
      <ThemeIcon size={44} radius="xl" variant="light" color="gray" aria-hidden>
        {icon}
      </ThemeIcon>
      <Title order={heading}>{title}</Title>
      {children !== undefined && (
        <Text c="dimmed" maw={460} component="div">
          {children}
        </Text>
      )}
      {action !== undefined && <Box mt={6}>{action}</Box>}
    </Stack>
  );
}
