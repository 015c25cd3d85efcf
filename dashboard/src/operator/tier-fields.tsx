import { TIER_NAMES, TIERS, type Tier } from "@lineup/api/tiers";
import { Radio, Stack } from "@mantine/core";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { sayNumber } from "../ui/number-words.ts";

export interface TierFieldsProps {
  readonly value: Tier;
  readonly onChange: (tier: Tier) => void;
}

/** The four tiers with what each allows. */
export function TierFields({ value, onChange }: TierFieldsProps) {
  return (
    <Radio.Group label={TEXTS.tier} value={value} onChange={(tier) => onChange(tier as Tier)}>
      <Stack gap="xs" mt="xs">
        {TIER_NAMES.map((tier) => (
          <Radio
            key={tier}
            value={tier}
            label={tier}
            description={TEXTS.tierLimits(sayNumber(TIERS[tier].perMinute), sayNumber(TIERS[tier].perDay))}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
