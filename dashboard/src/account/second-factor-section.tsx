import { Button, Group, Text } from "@mantine/core";
import { IconShieldCheck, IconShieldOff } from "@tabler/icons-react";
import { useState } from "react";
import type { SignedInPerson } from "../client/session.ts";
import { SECOND_FACTOR_TEXTS } from "../texts/account-texts.ts";
import { SectionCard } from "../ui/section-card.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { EndSecondFactor, RenewRecoveryCodes } from "./second-factor-changes.tsx";
import { SecondFactorSetup } from "./second-factor-setup.tsx";

type Dialog = "begin" | "renew" | "end" | null;

export function SecondFactorSection({ person }: { readonly person: SignedInPerson }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = () => setDialog(null);
  return (
    <SectionCard
      title={SECOND_FACTOR_TEXTS.title}
      lead={SECOND_FACTOR_TEXTS.lead}
      actions={person.hasSecondFactor ? <OnBadge /> : <OffBadge />}
    >
      {!person.hasPassword && <Text c="dimmed">{SECOND_FACTOR_TEXTS.needsPassword}</Text>}
      {person.hasPassword && !person.hasSecondFactor && (
        <Button onClick={() => setDialog("begin")}>{SECOND_FACTOR_TEXTS.begin}</Button>
      )}
      {person.hasSecondFactor && (
        <Group gap="xs">
          <Button variant="default" onClick={() => setDialog("renew")}>
            {SECOND_FACTOR_TEXTS.renew}
          </Button>
          <Button variant="outline" color="red" onClick={() => setDialog("end")}>
            {SECOND_FACTOR_TEXTS.end}
          </Button>
        </Group>
      )}
      <SecondFactorSetup isOpen={dialog === "begin"} onClose={close} email={person.email} />
      <RenewRecoveryCodes isOpen={dialog === "renew"} onClose={close} email={person.email} />
      <EndSecondFactor isOpen={dialog === "end"} onClose={close} email={person.email} />
    </SectionCard>
  );
}

function OnBadge() {
  return (
    <StatusBadge icon={IconShieldCheck} word={SECOND_FACTOR_TEXTS.on} tone="good" tip={SECOND_FACTOR_TEXTS.onTip} />
  );
}

function OffBadge() {
  return (
    <StatusBadge icon={IconShieldOff} word={SECOND_FACTOR_TEXTS.off} tone="warn" tip={SECOND_FACTOR_TEXTS.offTip} />
  );
}
