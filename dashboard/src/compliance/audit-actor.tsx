import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { Group, VisuallyHidden } from "@mantine/core";
import { IconKey, IconServer2, IconTerminal2, IconUser, type TablerIcon } from "@tabler/icons-react";
import { AUDIT_TEXTS as TEXTS } from "../texts/audit-texts.ts";

type Actor = AuditEntryView["actor"];

const ICONS: Readonly<Record<Actor["kind"], TablerIcon>> = {
  user: IconUser,
  key: IconKey,
  command: IconTerminal2,
  server: IconServer2,
};

/** Who did something: a person, a key, a command or the server itself. */
export function AuditActor({ actor }: { readonly actor: Actor }) {
  const IconShape = ICONS[actor.kind];
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex" style={{ verticalAlign: "bottom" }}>
      <IconShape size={15} style={{ flexShrink: 0 }} aria-hidden />
      <span style={{ minWidth: 0, overflowWrap: "anywhere" }}>
        {actor.kind !== "user" && <VisuallyHidden>{TEXTS.kinds[actor.kind]} </VisuallyHidden>}
        {actor.name}
      </span>
    </Group>
  );
}
