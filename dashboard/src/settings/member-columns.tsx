import type { ActionResult } from "@lineup/api/dashboard/actions";
import { ActionIcon, Badge, Group, Menu, Text } from "@mantine/core";
import { IconDots, IconLink, IconShieldCheck, IconShieldOff, IconUserCog, IconUserMinus } from "@tabler/icons-react";
import { ROLE_NAMES } from "../texts/frame-texts.ts";
import { MEMBERS_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import type { MemberAction } from "./member-dialogs.tsx";

type Member = ActionResult<"listMembers">["members"][number];

const { columns } = TEXTS;
/** Inside the page's main landmark, but outside of the table, which would cut it off. */
const PAGE = "#page";

/** Without `onAct` the members can only be looked at. */
export function makeMemberColumns(onAct: ((action: MemberAction) => void) | undefined): readonly Column<Member>[] {
  const shown: Column<Member>[] = [
    { key: "name", header: columns.name, isHeading: true, cell: (member) => <MemberName member={member} /> },
    { key: "role", header: columns.role, cell: ({ role }) => ROLE_NAMES[role] },
    { key: "factor", header: columns.factor, cell: ({ hasSecondFactor }) => <SecondFactor isOn={hasSecondFactor} /> },
    { key: "joined", header: columns.joined, cell: ({ joinedAt }) => <ExactTime at={joinedAt} as="day" /> },
    {
      key: "seen",
      header: columns.seen,
      cell: ({ lastSeenAt }) => <ExactTime at={lastSeenAt} orElse={TEXTS.notSignedIn} />,
    },
  ];
  if (onAct === undefined) return shown;
  const actions: Column<Member> = {
    key: "actions",
    header: columns.actions,
    hideHeader: true,
    align: "right",
    width: 48,
    cell: (member) => <MemberMenu member={member} onAct={onAct} />,
  };
  return [...shown, actions];
}

function MemberName({ member }: { readonly member: Member }) {
  return (
    <div>
      <Group gap={6}>
        {member.name}
        {member.isYou && (
          <Badge size="sm" variant="light" tt="none">
            {TEXTS.you}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" fw={400} style={{ overflowWrap: "anywhere" }}>
        {member.email}
      </Text>
    </div>
  );
}

function SecondFactor({ isOn }: { readonly isOn: boolean }) {
  return isOn ? (
    <StatusBadge icon={IconShieldCheck} word={TEXTS.factorOn} tone="good" />
  ) : (
    <StatusBadge icon={IconShieldOff} word={TEXTS.factorOff} tone="quiet" tip={TEXTS.factorOffHint} />
  );
}

interface MemberMenuProps {
  readonly member: Member;
  readonly onAct: (action: MemberAction) => void;
}

/** Oneself cannot be removed here, only leave; and has a password page of one's own. */
function MemberMenu({ member, onAct }: MemberMenuProps) {
  return (
    <Menu position="bottom-end" portalProps={{ target: PAGE }}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={TEXTS.actionsOf(member.name)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUserCog size={16} aria-hidden />} onClick={() => onAct({ kind: "role", member })}>
          {TEXTS.changeRole}
        </Menu.Item>
        {!member.isYou && (
          <>
            <Menu.Item
              leftSection={<IconLink size={16} aria-hidden />}
              onClick={() => onAct({ kind: "reset", member })}
            >
              {TEXTS.resetLink}
            </Menu.Item>
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconUserMinus size={16} aria-hidden />}
              onClick={() => onAct({ kind: "remove", member })}
            >
              {TEXTS.remove}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
