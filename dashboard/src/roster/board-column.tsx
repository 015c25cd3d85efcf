/** The columns of the board: one a team, with its sections; and one of those without a team. */
import { useDroppable } from "@dnd-kit/react";
import { Badge, Button, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconUsers } from "@tabler/icons-react";
import { memo, type ReactNode, use, useId, useMemo, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { DRAG_TEXTS, SECTION_NAMES, COLUMN_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { SearchField } from "../ui/search-field.tsx";
import { COLUMN_PRIORITY, detectUnderPointer, SECTION_PRIORITY, type Spot } from "./board-spots.ts";
import {
  type ColumnTeam,
  type LineUp,
  lineUpOf,
  type RosterCard,
  SECTIONS,
  type Section,
  type TeamColumn,
} from "./line-up.ts";
import classes from "./roster-board.module.css";
import { BoardCard } from "./roster-card.tsx";
import { TouchedCards } from "./use-roster-moves.ts";

/** Few enough to be drawn at once, in as many columns as a wide window has. */
const SHOWN_FIRST = 10;
const SHOWN_STEP = 50;

export interface TeamColumnViewProps {
  readonly column: TeamColumn;
  /** From the left. */
  readonly index: number;
}

export const TeamColumnView = memo(function TeamColumnView({ column, index }: TeamColumnViewProps) {
  const { team } = column;
  const lineUp = useMemo(() => lineUpOf(column, serverNow()), [column]);
  const titleId = useId();
  const spot = useMemo<Spot>(() => ({ team, column: index, row: undefined, label: team.name }), [team, index]);
  const { ref, isDropTarget } = useDroppable({
    id: `column-${team.id}`,
    data: { ...spot },
    collisionDetector: detectUnderPointer,
    collisionPriority: COLUMN_PRIORITY,
  });
  return (
    <section ref={ref} className={classes.column} aria-labelledby={titleId} data-target={isDropTarget || undefined}>
      <div className={classes.head}>
        <div className={classes.headLine}>
          <Title order={2} id={titleId} className={classes.name ?? ""} title={team.name}>
            {team.name}
          </Title>
          <Badge variant="default" tt="none" radius="sm">
            {team.game}
          </Badge>
        </div>
        <LineUpWords team={team} lineUp={lineUp} />
      </div>
      <div className={classes.body}>
        {SECTIONS.map((section, row) => (
          <SectionView
            key={section}
            team={team}
            section={section}
            column={index}
            row={row}
            cards={lineUp.sections[section]}
          />
        ))}
      </div>
    </section>
  );
});

/** What is missing or doubled, in words. */
function LineUpWords({ team, lineUp }: { readonly team: ColumnTeam; readonly lineUp: LineUp }) {
  const { starters, faults } = lineUp;
  const { missing, doubled } = faults;
  const isFaulty = missing.length + doubled.length > 0;
  const words = [
    ...(team.status === "inactive" ? [TEXTS.inactive] : []),
    ...(team.game === "LoL" && !isFaulty ? [TEXTS.complete] : []),
    ...(team.game === "LoL" ? [] : [TEXTS.starters(starters)]),
    ...(missing.length > 0 ? [TEXTS.missing(missing)] : []),
    ...(doubled.length > 0 ? [TEXTS.doubled(doubled)] : []),
  ];
  const Shape = isFaulty ? IconAlertTriangle : team.game === "LoL" ? IconCircleCheck : IconUsers;
  return (
    <Text size="xs" className={classes.lineUp ?? ""} data-faulty={isFaulty || undefined}>
      <Shape size={14} aria-hidden className={classes.lineUpIcon ?? ""} />
      <span>{words.join(". ")}.</span>
    </Text>
  );
}

interface SectionViewProps {
  readonly team: ColumnTeam;
  readonly section: Section;
  readonly column: number;
  readonly row: number;
  readonly cards: readonly RosterCard[];
}

function SectionView({ team, section, column, row, cards }: SectionViewProps) {
  const titleId = useId();
  const spot = useMemo<Spot>(
    () => ({ team, section, column, row, label: DRAG_TEXTS.section(team.name, SECTION_NAMES[section]) }),
    [team, section, column, row],
  );
  const { ref, isDropTarget } = useDroppable({
    id: `${section}-${team.id}`,
    data: { ...spot },
    collisionDetector: detectUnderPointer,
    collisionPriority: SECTION_PRIORITY,
  });
  return (
    <div ref={ref} className={classes.section} data-section={section} data-target={isDropTarget || undefined}>
      <Title order={3} id={titleId} className={classes.sectionName ?? ""}>
        {SECTION_NAMES[section]}
        <span className={classes.count}>{cards.length}</span>
      </Title>
      {cards.length === 0 ? (
        <Text size="xs" c="dimmed" py={4}>
          {TEXTS.nobody[section]}
        </Text>
      ) : (
        <CardList labelledBy={titleId} cards={cards} spot={spot} />
      )}
    </div>
  );
}

interface CardListProps {
  readonly labelledBy: string;
  readonly cards: readonly RosterCard[];
  readonly spot: Spot;
}

function CardList({ labelledBy, cards, spot }: CardListProps) {
  const [shown, setShown] = useState(SHOWN_FIRST);
  const touched = use(TouchedCards);
  const drawn = cards.filter(({ playerId }, index) => index < shown || touched.has(playerId));
  const left = cards.length - drawn.length;
  return (
    <>
      <ul aria-labelledby={labelledBy} className={classes.cards}>
        {drawn.map((card) => (
          <BoardCard key={card.playerId} card={card} from={spot} />
        ))}
      </ul>
      {left > 0 && (
        <Button variant="subtle" size="compact-sm" fullWidth onClick={() => setShown(shown + SHOWN_STEP)}>
          {TEXTS.more(Math.min(left, SHOWN_STEP), left)}
        </Button>
      )}
    </>
  );
}

export interface LooseColumnProps {
  readonly cards: readonly RosterCard[];
  /** Behind those of the teams. */
  readonly index: number;
  readonly q: string | undefined;
  readonly onSearch: (q: string | undefined) => void;
  readonly isComplete: boolean;
  readonly loading: ReactNode;
}

export function LooseColumn({ cards, index, q, onSearch, isComplete, loading }: LooseColumnProps) {
  const titleId = useId();
  const spot = useMemo<Spot>(() => ({ team: null, column: index, row: 0, label: TEXTS.loose }), [index]);
  const { ref, isDropTarget } = useDroppable({
    id: "loose",
    data: { ...spot },
    collisionDetector: detectUnderPointer,
    collisionPriority: SECTION_PRIORITY,
  });
  const found = useMemo(() => filterCards(cards, q), [cards, q]);
  return (
    <section
      ref={ref}
      className={classes.column}
      aria-labelledby={titleId}
      data-loose
      data-target={isDropTarget || undefined}
    >
      <div className={classes.head}>
        <div className={classes.headLine}>
          <Title order={2} id={titleId}>
            {TEXTS.loose}
          </Title>
          <Badge variant="default" radius="sm">
            {cards.length}
          </Badge>
        </div>
        <div className={classes.search}>
          <SearchField label={TEXTS.looseSearch} hint={TEXTS.looseHint} value={q} onChange={onSearch} />
        </div>
      </div>
      <div className={classes.body}>
        {found.length > 0 && <CardList key={q} labelledBy={titleId} cards={found} spot={spot} />}
        {found.length === 0 && isComplete && (
          <Text size="sm" c="dimmed" p={4}>
            {cards.length === 0 ? TEXTS.looseNone : TEXTS.looseNothing}
          </Text>
        )}
        {!isComplete && loading}
      </div>
    </section>
  );
}

function filterCards(cards: readonly RosterCard[], q: string | undefined): readonly RosterCard[] {
  if (q === undefined) return cards;
  const words = q.toLowerCase().split(/\s+/);
  return cards.filter(({ ign, realName, role }) => {
    const text = `${ign} ${realName} ${role}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
