import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Tooltip } from "@mantine/core";
import classes from "./recent-deliveries.module.css";
import { describeRecent } from "./webhook-states.ts";

/** How the latest deliveries stand, oldest first: tall bars were taken, short ones were not. The label says it in words. */
export function RecentDeliveries({ recent }: { readonly recent: WebhookView["recent"] }) {
  const label = describeRecent(recent);
  return (
    <Tooltip label={label}>
      <span className={classes.strip} role="img" aria-label={label}>
        {recent.map((state, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar's place is what it is.
          <span key={place} data-state={state} />
        ))}
      </span>
    </Tooltip>
  );
}
