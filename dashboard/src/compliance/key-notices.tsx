import type { KeyView } from "@lineup/api/dashboard/keys";
import { Alert, Text } from "@mantine/core";
import { KEY_STATE_TEXTS, KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { TONE_COLORS } from "../theme.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { KEY_STATE_LOOKS } from "./key-states.ts";

export interface KeyNoticesProps {
  readonly orgId: string;
  readonly apiKey: KeyView;
  /** All keys, to find whom this one follows; undefined while they load. */
  readonly keys: readonly KeyView[] | undefined;
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(["active", "never used"]);

/** What the state asks for, and the keys before and after this one. */
export function KeyNotices({ orgId, apiKey, keys }: KeyNoticesProps) {
  const predecessor = keys?.find((each) => each.successorId === apiKey.id);
  const successor = keys?.find((each) => each.id === apiKey.successorId);
  const { icon: IconShape, tone } = KEY_STATE_LOOKS[apiKey.state];
  const isQuiet = SAYS_NOTHING.has(apiKey.state);
  if (isQuiet && predecessor === undefined) return null;
  return (
    <Alert
      color={TONE_COLORS[isQuiet ? "info" : tone]}
      variant="light"
      mb="md"
      role="status"
      icon={<IconShape size={18} aria-hidden />}
    >
      {!isQuiet && <Text size="sm">{KEY_STATE_TEXTS[apiKey.state].advice}</Text>}
      {successor !== undefined && (
        <Text size="sm">
          {TEXTS.successor} <KeyLink orgId={orgId} linked={successor} />
          {apiKey.state === "rotating" && (
            <>
              . {TEXTS.successorUntil} <ExactTime at={apiKey.expiresAt} as="day-time" />
            </>
          )}
          .
        </Text>
      )}
      {predecessor !== undefined && (
        <Text size="sm">
          {TEXTS.predecessor} <KeyLink orgId={orgId} linked={predecessor} />.
        </Text>
      )}
    </Alert>
  );
}

function KeyLink({ orgId, linked }: { readonly orgId: string; readonly linked: KeyView }) {
  return (
    <TextLink
      inherit
      to="/orgs/$orgId/compliance/keys/$keyId"
      params={{ orgId, keyId: linked.id }}
      c="inherit"
      fw={600}
      underline="always"
    >
      {linked.name} ({linked.shownPrefix}…)
    </TextLink>
  );
}
