import type { KeyView } from "@lineup/api/dashboard/keys";
import { Alert, Text } from "@mantine/core";
import { IconClockExclamation } from "@tabler/icons-react";
import { serverNow } from "../client/server-clock.ts";
import { KEYS_TEXTS } from "../texts/key-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { listEndingKeys } from "./key-states.ts";

export interface EndingKeysNoticeProps {
  readonly orgId: string;
  readonly keys: readonly KeyView[];
}

/** Announces the keys that end within 14 days. */
export function EndingKeysNotice({ orgId, keys }: EndingKeysNoticeProps) {
  const ending = listEndingKeys(keys, serverNow());
  if (ending.length === 0) return null;
  return (
    <Alert
      color="amber"
      variant="light"
      mb="md"
      role="status"
      icon={<IconClockExclamation size={18} aria-hidden />}
      title={KEYS_TEXTS.endingTitle(ending.length)}
    >
      <Text size="sm" mb={4}>
        {KEYS_TEXTS.endingBody}
      </Text>
      {ending.map((key) => (
        <Text size="sm" key={key.id}>
          <TextLink
            inherit
            to="/orgs/$orgId/compliance/keys/$keyId"
            params={{ orgId, keyId: key.id }}
            fw={600}
            c="inherit"
            underline="always"
          >
            {key.name}
          </TextLink>{" "}
          {KEYS_TEXTS.ends} <ExactTime at={key.expiresAt} />
        </Text>
      ))}
    </Alert>
  );
}
