/** A page that says why there is no other. FaultPage { title, children, action }. */
import { Container, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { usePageHeading } from "../ui/page-header.tsx";

export interface FaultPageProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export function FaultPage({ title, children, action }: FaultPageProps) {
  const heading = usePageHeading(title);
  return (
    <Container size="xs" py={64} component="main">
      <Title order={1} ref={heading} tabIndex={-1} mb="xs">
        {title}
      </Title>
      <Text c="dimmed" component="div">
        {children}
      </Text>
      {action !== undefined && <Group mt="lg">{action}</Group>}
    </Container>
  );
}
