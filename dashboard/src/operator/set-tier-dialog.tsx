import type { Tier } from "@lineup/api/tiers";
import { useState } from "react";
import { useActionMutation } from "../client/use-action.ts";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TierFields } from "./tier-fields.tsx";

export interface SetTierDialogProps {
  readonly organization: { readonly id: string; readonly name: string; readonly tier: Tier };
  readonly onClose: () => void;
}

export function SetTierDialog({ organization, onClose }: SetTierDialogProps) {
  const [tier, setTier] = useState(organization.tier);
  const change = useActionMutation("setTier", {
    failure: "shown",
    changes: ["listOrganizations", "getOrganization", "getSession", "getKey", "listKeys"],
    says: TEXTS.tierSet,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.setTierOf(organization.name)}
      confirmLabel={TEXTS.setTier}
      tone="info"
      onConfirm={() => change.mutate({ path: { targetOrgId: organization.id }, body: { tier } })}
      onClose={onClose}
      isBusy={change.isPending}
      failure={change.error}
    >
      <TierFields value={tier} onChange={setTier} />
    </ConfirmDialog>
  );
}
