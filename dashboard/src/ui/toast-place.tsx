/** Where toasts appear. Comes once the page stands, so that it costs the first load nothing. */
import { Notifications } from "@mantine/notifications";
import { TOASTS_MAX } from "./toasts.ts";

export function ToastPlace() {
  return <Notifications position="bottom-right" limit={TOASTS_MAX} />;
}
