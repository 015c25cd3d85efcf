import type { OVERLAPS } from "@lineup/api/dashboard/keys";
import { Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useActionMutation } from "../client/use-action.ts";
import { OVERLAP_TEXTS, KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

type Overlap = (typeof OVERLAPS)[number];

const CHOICES = Object.keys(OVERLAP_TEXTS) as Overlap[];

export interface RotateKeyDialogProps {
  readonly orgId: string;
  readonly keyId: string;
  readonly onClose: () => void;
  readonly onMade: (made: { readonly id: string; readonly key: string }) => void;
}

export function RotateKeyDialog({ orgId, keyId, onClose, onMade }: RotateKeyDialogProps) {
  const [overlap, setOverlap] = useState<Overlap>("24h");
  const rotate = useActionMutation("rotateKey", {
    failure: "shown",
    changes: ["listKeys", "getKey", "getHome", "getOrganization"],
    onDone: (made) => onMade(made),
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.rotateTitle}
      confirmLabel={TEXTS.rotateSubmit}
      tone="info"
      onConfirm={() => rotate.mutate({ path: { orgId, keyId }, body: { overlap } })}
      onClose={onClose}
      isBusy={rotate.isPending}
      failure={rotate.error}
    >
      <Stack gap="md">
        <Text size="sm">{TEXTS.rotateBody}</Text>
        <Radio.Group label={TEXTS.overlap} value={overlap} onChange={(value) => setOverlap(value as Overlap)}>
          <Stack gap="xs" mt="xs">
            {CHOICES.map((choice) => (
              <Radio
                key={choice}
                value={choice}
                label={OVERLAP_TEXTS[choice].word}
                description={OVERLAP_TEXTS[choice].hint}
              />
            ))}
          </Stack>
        </Radio.Group>
      </Stack>
    </ConfirmDialog>
  );
}
