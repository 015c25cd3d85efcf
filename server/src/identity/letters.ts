/** What the server writes by mail, as plain text. */
import type { Role } from "@lineup/api/dashboard/members";
import type { Letter } from "./mailer.ts";

interface Invitation {
  readonly email: string;
  readonly role: Role;
  readonly organization: string;
  readonly invitedBy: string;
  readonly link: string;
  readonly expiresAt: number;
}

export function invitationLetter(invitation: Invitation): Letter {
  const organization = oneLine(invitation.organization);
  return {
    to: invitation.email,
    subject: `Join ${organization} on Lineup`,
    text: `${oneLine(invitation.invitedBy)} has invited you to join ${organization} on Lineup, as ${invitation.role}.

Open this link to accept. It works once, until ${formatDay(invitation.expiresAt)}:

${invitation.link}

If you did not expect this, you need not do anything.
`,
  };
}

export function resetLetter(reset: {
  readonly email: string;
  readonly link: string;
  readonly expiresAt: number;
}): Letter {
  return {
    to: reset.email,
    subject: "Choose a new password for Lineup",
    text: `Open this link to choose a new password for Lineup. It works once, until ${formatDay(reset.expiresAt)}:

${reset.link}

If you did not ask for it, you need not do anything: your password stays as it is.
`,
  };
}

function formatDay(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Names are people's own; they must not look like more of the letter. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
