/** A page that says why there is no other. FaultPage { title, children, action }. */
import { Container, Group, Text, Title } from "@mantine/core";
import { createContext, type ReactNode, useContext } from "react";
import { usePageHeading } from "../ui/page-header.tsx";

export interface FaultPageProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Whether the frame around has the main landmark already. */
export const InsideMain = createContext(false);

export function FaultPage({ title, children, action }: FaultPageProps) {
  const isInside = useContext(InsideMain);
  const heading = usePageHeading(title);
  return (
    <Container size="xs" py={64} component={isInside ? "div" : "main"}>
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
