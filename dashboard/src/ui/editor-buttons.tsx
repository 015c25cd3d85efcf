/** Below what is edited where it stands. EditorButtons { isBusy, onCancel }, in a form. */
import { Button, Group } from "@mantine/core";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";

export function EditorButtons({ isBusy, onCancel }: { readonly isBusy: boolean; readonly onCancel: () => void }) {
  return (
    <Group gap={6}>
      <Button type="submit" size="xs" loading={isBusy}>
        {COMMON_TEXTS.save}
      </Button>
      <Button size="xs" variant="default" onClick={onCancel}>
        {COMMON_TEXTS.cancel}
      </Button>
    </Group>
  );
}
