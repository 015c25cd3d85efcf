/** A key, shown this once: after its creation and after a rotation. */
import type { Permission } from "@lineup/api/permissions";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { KEY_USE_TEXTS, REVEAL_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { CopyField } from "../ui/copy-button.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { FirstRequest } from "./first-request.tsx";
import { KeyUseTabs } from "./key-use-tabs.tsx";
import { SecretReveal } from "./secret-reveal.tsx";
import { makeEnvLine } from "./shell-lines.ts";

export interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly permissions: readonly Permission[];
}

export interface KeyRevealProps {
  readonly orgId: string;
  readonly made: MadeKey;
  readonly title: string;
  /** What else there is to know, such as how long the old key works. */
  readonly children?: ReactNode;
}

export function KeyReveal({ orgId, made, title, children }: KeyRevealProps) {
  return (
    <SecretReveal
      title={title}
      lead={children}
      texts={TEXTS}
      goOn={(ref) => (
        <ButtonLink ref={ref} to="/orgs/$orgId/compliance/keys/$keyId" params={{ orgId, keyId: made.id }}>
          {TEXTS.goOn}
        </ButtonLink>
      )}
      beneath={<FirstRequest orgId={orgId} keyId={made.id} />}
    >
      <CopyField label={TEXTS.key} value={made.key} wraps />
      <CopyField label={TEXTS.env} value={makeEnvLine(made.key)} wraps />
      <div>
        <Text size="sm" fw={600}>
          {KEY_USE_TEXTS.title}
        </Text>
        <KeyUseTabs permissions={made.permissions} apiKey={made.key} />
      </div>
    </SecretReveal>
  );
}
