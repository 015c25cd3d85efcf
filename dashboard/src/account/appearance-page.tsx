import { Group, Radio, Stack, Text, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import { APPEARANCE_TEXTS } from "../texts/account-texts.ts";
import { SectionCard } from "../ui/section-card.tsx";
import { AccountFrame } from "./account-frame.tsx";
import classes from "./appearance-page.module.css";

const SCHEMES = [
  { value: "auto", name: APPEARANCE_TEXTS.auto, hint: APPEARANCE_TEXTS.autoHint, icon: IconDeviceDesktop },
  { value: "light", name: APPEARANCE_TEXTS.light, hint: APPEARANCE_TEXTS.lightHint, icon: IconSun },
  { value: "dark", name: APPEARANCE_TEXTS.dark, hint: APPEARANCE_TEXTS.darkHint, icon: IconMoon },
] as const;

export function AppearancePage() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (value: string) => {
    const chosen = SCHEMES.find((scheme) => scheme.value === value);
    if (chosen !== undefined) setColorScheme(chosen.value);
  };
  return (
    <AccountFrame title={APPEARANCE_TEXTS.title} lead={APPEARANCE_TEXTS.lead}>
      <SectionCard title={APPEARANCE_TEXTS.colours}>
        <Radio.Group value={colorScheme} onChange={choose} aria-label={APPEARANCE_TEXTS.colours}>
          <Stack gap="xs">
            {SCHEMES.map(({ value, name, hint, icon: IconShape }) => (
              <Radio.Card key={value} value={value} className={classes.choice ?? ""}>
                <Group gap="md" wrap="nowrap">
                  <Radio.Indicator />
                  <IconShape size={20} stroke={1.75} aria-hidden />
                  <div>
                    <Text fw={600}>{name}</Text>
                    <Text size="sm" c="dimmed">
                      {hint}
                    </Text>
                  </div>
                </Group>
              </Radio.Card>
            ))}
          </Stack>
        </Radio.Group>
      </SectionCard>
      <SectionCard title={APPEARANCE_TEXTS.noteTitle}>
        <Text>{APPEARANCE_TEXTS.note(Intl.DateTimeFormat().resolvedOptions().timeZone)}</Text>
      </SectionCard>
    </AccountFrame>
  );
}
