/**
 * A status: always an icon and a word, never a colour alone. StatusBadge { icon, word, tone, tip? }
 *   icon  a Tabler icon component       tone  info | good | warn | bad | quiet
 *   tip   what it means and what to do; shown on hover, focus and touch, and read with the word
 */
import { Badge, Tooltip } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";
import { TONE_COLORS, type Tone } from "../theme.ts";

export interface StatusBadgeProps {
  readonly icon: TablerIcon;
  readonly word: string;
  readonly tone: Tone;
  readonly tip?: string;
}

export function StatusBadge({ icon: IconShape, word, tone, tip }: StatusBadgeProps) {
  const badge = (
    <Badge
      variant="light"
      color={TONE_COLORS[tone]}
      size="lg"
      radius="sm"
      tt="none"
      fw={600}
      leftSection={<IconShape size={14} stroke={2} aria-hidden />}
      styles={{ root: { flexShrink: 0, minWidth: "max-content" } }}
      {...(tip === undefined ? {} : { tabIndex: 0 })}
    >
      {word}
    </Badge>
  );
  return tip === undefined ? badge : <Tooltip label={tip}>{badge}</Tooltip>;
}
