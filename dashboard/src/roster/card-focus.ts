/**
 * A person who moves a card by keyboard goes on from that card. It is drawn anew in another section, and the control that had the focus is gone;
 * so the focus, where nobody has taken it meanwhile, goes to the same control of the card as it now stands.
 */
const LOOK_EVERY_MS = 40;
const LOOK_TIMES = 30;

export type CardPart = "handle" | "menu";

let timer: ReturnType<typeof setInterval> | undefined;

/** One card at a time: the one that was moved last. */
export function followCard(playerId: string, part: CardPart): void {
  clearInterval(timer);
  let looks = 0;
  timer = setInterval(() => {
    looks += 1;
    if (looks === LOOK_TIMES) clearInterval(timer);
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const card = document.querySelector(`[data-card="${CSS.escape(playerId)}"]`);
    card?.querySelector<HTMLElement>(`[data-part="${part}"]`)?.focus();
  }, LOOK_EVERY_MS);
}
