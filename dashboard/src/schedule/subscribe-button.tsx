import { Button } from "@mantine/core";
import { IconRss } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { CALENDAR_TEXTS as TEXTS } from "../texts/calendar-texts.ts";

const SubscribeDialog = lazy(() =>
  import("./subscribe-dialog.tsx").then((module) => ({ default: module.SubscribeDialog })),
);

/** Few open it: what is behind it is loaded for those who do. */
export function SubscribeButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconRss size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {TEXTS.subscribe}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <SubscribeDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
