/** Recovery codes, to copy or to keep as a file. RecoveryCodeList { codes, email } */
import { Button, Group } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { SECOND_FACTOR_TEXTS } from "../texts/account-texts.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { downloadText } from "../ui/download-text.ts";
import classes from "./recovery-code-list.module.css";

export interface RecoveryCodeListProps {
  readonly codes: readonly string[];
  readonly email: string;
}

export function RecoveryCodeList({ codes, email }: RecoveryCodeListProps) {
  const text = codes.join("\n");
  const file = `${SECOND_FACTOR_TEXTS.codesHead(email)}\n\n${text}\n`;
  return (
    <div>
      <ul className={classes.codes} aria-label={SECOND_FACTOR_TEXTS.codesLabel}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs" mt="sm">
        <CopyButton value={text} label={SECOND_FACTOR_TEXTS.copyCodes} size="xs" />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => downloadText(SECOND_FACTOR_TEXTS.codesFile, file)}
        >
          {SECOND_FACTOR_TEXTS.downloadCodes}
        </Button>
      </Group>
    </div>
  );
}
