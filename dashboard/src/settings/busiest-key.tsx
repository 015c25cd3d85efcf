import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Progress, Text } from "@mantine/core";
import { useAllows } from "../client/session.ts";
import { ORGANIZATION_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { TONE_COLORS } from "../theme.ts";
import { TextLink } from "../ui/links.tsx";
import { sayNumber } from "../ui/number-words.ts";

export interface BusiestKeyProps {
  readonly orgId: string;
  readonly busiest: ActionResult<"getOrganization">["usage"]["busiestKey"];
  readonly perDay: number;
}

const TIGHT = 0.8;

/** The key that came nearest to the limit of its day. */
export function BusiestKey({ orgId, busiest, perDay }: BusiestKeyProps) {
  const maySeeKeys = useAllows("keys:view");
  // The server does not tell them which one it is.
  if (!maySeeKeys) return null;
  if (busiest === null) return <Text size="sm">{TEXTS.noBusiest}</Text>;
  const share = busiest.requestsLastDay / perDay;
  const words = TEXTS.busiestUse(sayNumber(busiest.requestsLastDay), sayNumber(perDay));
  return (
    <>
      <Text size="sm" mb={6}>
        {TEXTS.busiest}:{" "}
        <TextLink
          inherit
          to="/orgs/$orgId/compliance/keys/$keyId"
          params={{ orgId, keyId: busiest.id }}
          underline="always"
        >
          {busiest.name}
        </TextLink>
        , {words}
      </Text>
      <Progress
        value={Math.min(100, share * 100)}
        color={TONE_COLORS[share >= 1 ? "bad" : share >= TIGHT ? "warn" : "info"]}
        aria-label={`${TEXTS.busiest}: ${words}`}
      />
    </>
  );
}
