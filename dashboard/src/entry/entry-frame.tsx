/** The frame of the pages for those who are not in yet. EntryFrame { title, lead?, children, footer? } */
import { Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Logo } from "../shell/logo.tsx";
import { APP_NAME } from "../texts/frame-texts.ts";
import { usePageHeading } from "../ui/page-header.tsx";
import classes from "./entry-frame.module.css";

export interface EntryFrameProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

export function EntryFrame({ title, lead, children, footer }: EntryFrameProps) {
  const heading = usePageHeading(title);
  return (
    <div className={classes.ground}>
      <header className={classes.brand}>
        <Logo size={32} />
        <Text span fw={700} fz="lg">
          {APP_NAME}
        </Text>
      </header>
      <main className={classes.main}>
        <Paper withBorder p={{ base: "lg", sm: 32 }} shadow="xs">
          <Stack gap="lg">
            <div>
              <Title order={1} ref={heading} tabIndex={-1}>
                {title}
              </Title>
              {lead !== undefined && (
                <Text c="dimmed" mt={4} component="div">
                  {lead}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
        {footer !== undefined && <div className={classes.footer}>{footer}</div>}
      </main>
    </div>
  );
}
