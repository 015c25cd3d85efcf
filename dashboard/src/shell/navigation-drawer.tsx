/** The navigation on a phone. */
import { Drawer, Text } from "@mantine/core";
import { APP_NAME, NAVIGATION_TEXTS } from "../texts/frame-texts.ts";
import { useOnTop } from "../ui/use-on-top.ts";
import { Navigation } from "./navigation.tsx";

export function NavigationDrawer({ onClose }: { readonly onClose: () => void }) {
  const isOnTop = useOnTop(true);
  return (
    <Drawer
      opened
      onClose={onClose}
      size={280}
      closeOnEscape={isOnTop}
      title={
        <Text span fw={700}>
          {APP_NAME}
        </Text>
      }
      closeButtonProps={{ "aria-label": NAVIGATION_TEXTS.closeMenu }}
    >
      <Navigation />
    </Drawer>
  );
}
