/** What leads out of a page that has no records yet: its own button, and the import of a list. FirstSteps { children } */
import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useOrganization } from "../client/session.ts";
import { RECORD_TEXTS as TEXTS } from "../texts/record-texts.ts";
import { ButtonLink } from "../ui/links.tsx";

export function FirstSteps({ children }: { readonly children: ReactNode }) {
  const { id: orgId } = useOrganization();
  return (
    <Group gap="xs" justify="center">
      {children}
      <ButtonLink variant="default" to="/orgs/$orgId/data/import-export" params={{ orgId }}>
        {TEXTS.import}
      </ButtonLink>
    </Group>
  );
}
