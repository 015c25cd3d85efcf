import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Stack, Text } from "@mantine/core";
import { useActionMutation } from "../client/use-action.ts";
import { KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { sayNumber } from "../ui/number-words.ts";

export interface RevokeKeyDialogProps {
  readonly orgId: string;
  readonly apiKey: ActionResult<"getKey">;
  readonly onClose: () => void;
}

/** Revoking cannot be taken back: it shows what still uses the key, and asks for its name. */
export function RevokeKeyDialog({ orgId, apiKey, onClose }: RevokeKeyDialogProps) {
  const revoke = useActionMutation("revokeKey", {
    failure: "shown",
    changes: ["listKeys", "getKey", "getHome", "getOrganization"],
    says: TEXTS.revokedDone,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.revokeTitle}
      confirmLabel={TEXTS.revokeSubmit}
      typedName={apiKey.name}
      onConfirm={() => revoke.mutate({ path: { orgId, keyId: apiKey.id }, body: { name: apiKey.name } })}
      onClose={onClose}
      isBusy={revoke.isPending}
      failure={revoke.error}
    >
      <Stack gap="xs">
        <Text size="sm">{TEXTS.revokeBody}</Text>
        <Text size="sm" fw={600} component="div">
          {apiKey.lastUsedAt === null ? (
            TEXTS.revokeUnused
          ) : (
            <>
              {TEXTS.lastUsed} <ExactTime at={apiKey.lastUsedAt} />; {TEXTS.lastDay(sayNumber(apiKey.requestsLastDay))}.{" "}
              {apiKey.requestsLastDay > 0 && TEXTS.revokeUse}
            </>
          )}
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
