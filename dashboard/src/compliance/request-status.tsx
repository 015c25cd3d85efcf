import type { RequestView } from "@lineup/api/dashboard/records";
import { ERROR_CODES, ERROR_MEANING } from "@lineup/api/errors";
import { Text } from "@mantine/core";
import { StatusBadge } from "../ui/status-badge.tsx";
import classes from "./request-columns.module.css";
import { lookOfStatus } from "./status-words.ts";

/** Status and code of an answer. */
export function RequestStatus({ status, code }: Pick<RequestView, "status" | "code">) {
  const { tone, icon } = lookOfStatus(status);
  return (
    <span className={classes.status}>
      <StatusBadge icon={icon} tone={tone} word={String(status)} />
      {code !== null && (
        <Text span ff="monospace" fz="0.6875rem" c="dimmed" fw={400}>
          {code}
        </Text>
      )}
    </span>
  );
}

export function findMeaning(code: string | null): string | undefined {
  const known = ERROR_CODES.find((each) => each === code);
  return known === undefined ? undefined : ERROR_MEANING[known];
}
