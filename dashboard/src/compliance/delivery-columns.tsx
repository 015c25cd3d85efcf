import type { DeliveryView } from "@lineup/api/dashboard/webhooks";
import { ActionIcon, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { DELIVERY_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { sayMoment } from "../ui/time-words.ts";
import classes from "./audit-columns.module.css";
import { DeliveryStateBadge } from "./webhook-state-badge.tsx";
import { sayAnswer } from "./webhook-states.ts";

const { columns } = TEXTS;

export interface DeliveryColumnsOptions {
  readonly opened: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly isPhone: boolean;
}

/** On a phone there is one column: the message, with the rest under it. */
export function makeDeliveryColumns(options: DeliveryColumnsOptions): readonly Column<DeliveryView>[] {
  const { isPhone } = options;
  const message: Column<DeliveryView> = {
    key: "type",
    header: columns.type,
    isHeading: true,
    cell: (delivery) => (
      <div className={classes.what}>
        <Text span inherit ff="monospace" fw={600}>
          {delivery.type}
        </Text>
        {isPhone && <PhoneFacts delivery={delivery} {...options} />}
      </div>
    ),
  };
  if (isPhone) return [message];
  return [
    {
      key: "open",
      header: columns.open,
      hideHeader: true,
      width: 36,
      cell: (delivery) => <OpenButton delivery={delivery} {...options} />,
    },
    {
      key: "when",
      header: columns.when,
      cell: ({ createdAt }) => <ExactTime at={createdAt} as="moment" isStop={false} />,
    },
    message,
    { key: "state", header: columns.state, cell: ({ state }) => <DeliveryStateBadge state={state} /> },
    { key: "answer", header: columns.answer, cell: (delivery) => <LastAnswer delivery={delivery} /> },
    { key: "next", header: columns.next, cell: (delivery) => <NextAttempt delivery={delivery} /> },
  ];
}

function LastAnswer({ delivery: { attempts } }: { readonly delivery: DeliveryView }) {
  const last = attempts.at(-1);
  if (last === undefined) {
    return (
      <Text span inherit c="dimmed">
        {TEXTS.noAttempt}
      </Text>
    );
  }
  return (
    <>
      {sayAnswer(last)}
      {attempts.length > 1 && (
        <Text size="xs" c="dimmed">
          {TEXTS.attempts(attempts.length)}
        </Text>
      )}
    </>
  );
}

function NextAttempt({ delivery }: { readonly delivery: DeliveryView }) {
  return <ExactTime at={delivery.nextAttemptAt} isStop={false} orElse={TEXTS.noNext} />;
}

function PhoneFacts({ delivery, ...options }: { readonly delivery: DeliveryView } & DeliveryColumnsOptions) {
  const last = delivery.attempts.at(-1);
  return (
    <div className={classes.phone}>
      <div>
        <DeliveryStateBadge state={delivery.state} />
        <Text size="xs" c="dimmed" component="div" mt={4}>
          <ExactTime at={delivery.createdAt} as="moment" isStop={false} /> ·{" "}
          {last === undefined ? TEXTS.noAttempt : sayAnswer(last)}
        </Text>
      </div>
      <OpenButton delivery={delivery} {...options} />
    </div>
  );
}

interface OpenButtonProps extends DeliveryColumnsOptions {
  readonly delivery: DeliveryView;
}

function OpenButton({ delivery, opened, onToggle }: OpenButtonProps) {
  const isOpen = opened.has(delivery.id);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-expanded={isOpen}
      aria-label={`${columns.open}: ${delivery.type}, ${sayMoment(delivery.createdAt)}`}
      onClick={() => onToggle(delivery.id)}
    >
      <Chevron size={16} aria-hidden />
    </ActionIcon>
  );
}
