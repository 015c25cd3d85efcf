/** Asks where somebody goes, in which role, and when: for moves that a drop cannot say, and for those who do not drag. */
import { type Game, isRoleOf, kindOfRole, startsByDefault } from "@lineup/api/roles";
import { Button, Checkbox, Group, Radio, Stack } from "@mantine/core";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { MomentField, RoleSelect, TeamSelect } from "../records/record-fields.tsx";
import { useRecordForm } from "../records/use-record-form.ts";
import { useRecords } from "../records/use-records.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { MOVE_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { type Destination, roleWithoutTeam } from "./drop-plan.ts";
import { type RosterCard, type Section, sectionOf } from "./line-up.ts";
import { useMoveOptions } from "./use-roster-moves.ts";

/** What is asked, and what is known already. */
export interface MoveQuestion {
  readonly card: RosterCard;
  /** As it is, unless said otherwise. */
  readonly teamId: string | null;
  readonly section: Section | undefined;
}

export interface MoveDialogProps {
  readonly question: MoveQuestion;
  readonly onClose: () => void;
}

type MoveForm = {
  teamId: string | null;
  role: string | null;
  isStarter: boolean;
  isCaptain: boolean;
  when: "now" | "earlier";
  at: number | null;
};

export function MoveDialog({ question, onClose }: MoveDialogProps) {
  const { card } = question;
  const { form, gameOf, onSubmit, isBusy, failure } = useMoveForm(question, onClose);
  const { teamId, role, when } = form.values;
  const game = gameOf(teamId);
  const field = <K extends keyof MoveForm>(name: K) => ({ ...form.getInputProps(name), "data-field": name });
  const chooseTeam = (next: string | null) =>
    form.setValues({
      teamId: next,
      role: suggestRole(card, gameOf(next), next, question.section),
      isCaptain: staysCaptain(card, next),
    });
  // Who was dropped among starters or substitutes stays there, whichever role it is in.
  const isLineUpKnown = question.section === "starters" || question.section === "substitutes";
  const chooseRole = (next: string | null) =>
    form.setValues({ role: next, ...(next !== null && !isLineUpKnown && { isStarter: startsByDefault(next) }) });
  return (
    <PlainDialog isOpen title={TEXTS.title(card.ign)} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <TeamSelect {...field("teamId")} value={teamId} onChange={chooseTeam} data-autofocus />
          <RoleSelect
            {...field("role")}
            game={game}
            description={teamId === null ? TEXTS.roleAlone : TEXTS.roleOfGame(game)}
            value={role}
            onChange={chooseRole}
            required
          />
          {teamId !== null && (
            <Group gap="lg">
              {role !== null && kindOfRole(role) === "player" && (
                <Checkbox label={TEXTS.isStarter} {...form.getInputProps("isStarter", { type: "checkbox" })} />
              )}
              <Checkbox label={TEXTS.isCaptain} {...form.getInputProps("isCaptain", { type: "checkbox" })} />
            </Group>
          )}
          <Radio.Group label={TEXTS.when} {...field("when")}>
            <Group gap="lg" mt={6}>
              <Radio value="now" label={TEXTS.now} />
              {card.since <= serverNow() && <Radio value="earlier" label={TEXTS.earlier} />}
            </Group>
          </Radio.Group>
          {when === "earlier" && (
            <MomentField
              {...field("at")}
              value={form.values.at}
              label={TEXTS.at}
              min={card.since}
              max={serverNow()}
              required
            />
          )}
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {TEXTS.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}

function useMoveForm({ card, teamId, section }: MoveQuestion, onClose: () => void) {
  const { id: orgId } = useOrganization();
  const teams = useRecords("team");
  const gameOf = (id: string | null): Game => (id === null ? undefined : teams.byId.get(id)?.game) ?? "Other";
  const role = suggestRole(card, gameOf(teamId), teamId, section);
  const form = useRecordForm("movePlayer", {
    ...useMoveOptions(),
    initialValues: {
      teamId,
      role,
      isStarter: section === undefined ? suggestStart(card, role) : section === "starters",
      isCaptain: staysCaptain(card, teamId),
      when: "now",
      at: null,
    } as MoveForm,
    validate: {
      role: (value, values) => (value !== null && isRoleOf(gameOf(values.teamId), value) ? null : TEXTS.chooseRole),
      at: (value, values) => (values.when === "earlier" && value === null ? TEXTS.chooseMoment : null),
    },
    toInput: ({ teamId, role: chosen, isStarter, isCaptain, when, at }) => {
      const role = chosen ?? card.role;
      const flags = teamId === null ? undefined : { isStarter: isStarter && kindOfRole(role) === "player", isCaptain };
      // Nothing to write, and above all nothing to take back: one step back from here would be that of an older move.
      if (stays(card, { teamId, role, ...flags })) return undefined;
      const body = { teamId, role, ...flags, ...(when === "earlier" && at !== null && { at }) };
      return { path: { orgId, recordId: card.playerId }, body: { ...body, updatedAt: card.updatedAt } };
    },
    onClose,
    onDone: onClose,
  });
  return { ...form, gameOf };
}

/** Whether the card is there already, as it is asked for. */
function stays(card: RosterCard, { teamId, role, isStarter, isCaptain }: Destination): boolean {
  const isThere = card.teamId === teamId && card.role === role;
  return isThere && (teamId === null || (card.isStarter === isStarter && card.isCaptain === isCaptain));
}

/** The role of today where the game and the section have it; nobody guesses another. */
function suggestRole(card: RosterCard, game: Game, teamId: string | null, section: Section | undefined): string | null {
  if (teamId === null) return roleWithoutTeam(card.role);
  const isStaff = kindOfRole(card.role) === "staff";
  const fitsSection = section === undefined || isStaff === (section === "staff");
  return fitsSection && isRoleOf(game, card.role) ? card.role : null;
}

/** Of one team, not of the next. */
function staysCaptain(card: RosterCard, teamId: string | null): boolean {
  return card.isCaptain && teamId === card.teamId;
}

function suggestStart(card: RosterCard, role: string | null): boolean {
  if (card.teamId !== null) return sectionOf(card) === "starters";
  return role === null || startsByDefault(role);
}
