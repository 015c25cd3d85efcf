import { allows, type Capability, ROLES, type Role } from "@lineup/api/dashboard/members";
import { VisuallyHidden } from "@mantine/core";
import { IconCheck, IconMinus } from "@tabler/icons-react";
import { ROLE_NAMES } from "../texts/frame-texts.ts";
import { MEMBERS_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";

const CAPABILITIES = Object.keys(TEXTS.capabilities) as Capability[];

const COLUMNS: readonly Column<Capability>[] = [
  {
    key: "capability",
    header: TEXTS.capability,
    isHeading: true,
    cell: (capability) => TEXTS.capabilities[capability],
  },
  ...ROLES.map((role) => ({
    key: role,
    header: ROLE_NAMES[role],
    width: 104,
    cell: (capability: Capability) => <Verdict role={role} capability={capability} />,
  })),
];

/** Every role and what it may do, as the server decides it. */
export function RoleMatrix() {
  return (
    <DataTable
      label={TEXTS.rolesCaption}
      columns={COLUMNS}
      rows={CAPABILITIES}
      rowKey={(capability) => capability}
      phone="scroll"
    />
  );
}

function Verdict({ role, capability }: { readonly role: Role; readonly capability: Capability }) {
  const may = allows(role, capability);
  return (
    <>
      {may ? <IconCheck size={16} aria-hidden /> : <IconMinus size={16} aria-hidden opacity={0.5} />}
      <VisuallyHidden>{may ? TEXTS.may : TEXTS.mayNot}</VisuallyHidden>
    </>
  );
}
