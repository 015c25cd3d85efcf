/** Where toasts appear. Comes once the page stands, so that it costs the first load nothing. */
import { Notifications } from "@mantine/notifications";

export function ToastPlace() {
  return <Notifications position="bottom-right" limit={4} />;
}
