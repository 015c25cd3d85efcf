import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { ActionIcon, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { AUDIT_TEXTS as TEXTS } from "../texts/audit-texts.ts";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { AuditActor } from "./audit-actor.tsx";
import classes from "./audit-columns.module.css";
import { describeEntry, tellSentence } from "./audit-sentences.ts";

export interface AuditColumnsOptions {
  readonly opened: ReadonlySet<number>;
  readonly onToggle: (seq: number) => void;
  readonly isPhone: boolean;
}

const { columns } = TEXTS;

/** On a phone there is one column: what was done, with the rest under it. */
export function makeAuditColumns(options: AuditColumnsOptions): readonly Column<AuditEntryView>[] {
  const { opened, onToggle, isPhone } = options;
  const what = makeWhatColumn(options);
  if (isPhone) return [what];
  return [
    {
      key: "open",
      header: columns.open,
      hideHeader: true,
      width: 36,
      cell: (entry) => <OpenButton entry={entry} isOpen={opened.has(entry.seq)} onToggle={onToggle} />,
    },
    {
      key: "when",
      header: columns.when,
      cell: ({ at }) => <ExactTime at={at} as="moment" isStop={false} />,
    },
    { key: "who", header: columns.who, isTyped: true, cell: ({ actor }) => <AuditActor actor={actor} /> },
    what,
    {
      key: "from",
      header: columns.from,
      cell: ({ address }) => (
        <Text span inherit ff="monospace" fz="0.8125rem" c={address === null ? "dimmed" : "inherit"}>
          {address ?? TEXTS.here}
        </Text>
      ),
    },
  ];
}

function makeWhatColumn({ opened, onToggle, isPhone }: AuditColumnsOptions): Column<AuditEntryView> {
  return {
    key: "what",
    header: columns.what,
    isHeading: true,
    width: "46%",
    cell: (entry) => (
      <div className={classes.what}>
        <Sentence entry={entry} />
        {isPhone && (
          <div className={classes.phone}>
            <Text size="xs" c="dimmed" component="div">
              <AuditActor actor={entry.actor} /> · <ExactTime at={entry.at} as="moment" isStop={false} />
              {entry.address !== null && ` · ${entry.address}`}
            </Text>
            <OpenButton entry={entry} isOpen={opened.has(entry.seq)} onToggle={onToggle} />
          </div>
        )}
      </div>
    ),
  };
}

function Sentence({ entry }: { readonly entry: AuditEntryView }) {
  const { before, target, after } = describeEntry(entry);
  return (
    <span>
      {before}
      {target !== null && <b>{target}</b>}
      {after}
    </span>
  );
}

interface OpenButtonProps {
  readonly entry: AuditEntryView;
  readonly isOpen: boolean;
  readonly onToggle: (seq: number) => void;
}

function OpenButton({ entry, isOpen, onToggle }: OpenButtonProps) {
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const what = `${entry.actor.name} ${tellSentence(describeEntry(entry))}`;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-expanded={isOpen}
      aria-label={`${columns.open}: ${what}`}
      onClick={() => onToggle(entry.seq)}
    >
      <Chevron size={16} aria-hidden />
    </ActionIcon>
  );
}
