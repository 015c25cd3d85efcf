/** The files that are to be imported, with what each holds. */
import { ActionIcon, Group, NativeSelect, Text } from "@mantine/core";
import { IconFileText, IconTrash } from "@tabler/icons-react";
import { TABLE_TEXTS, TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import classes from "./source-file-list.module.css";
import { addFiles, type SourceFile, TABLES } from "./source-files.ts";

export interface SourceFileListProps {
  readonly files: readonly SourceFile[];
  readonly isDisabled: boolean;
  readonly onChange: (files: readonly SourceFile[]) => void;
}

export function SourceFileList({ files, isDisabled, onChange }: SourceFileListProps) {
  const without = (file: SourceFile) => files.filter((one) => one !== file);
  return (
    <ul className={classes.list} aria-label={TEXTS.filesTitle}>
      {files.map((file) => (
        <li key={file.name} className={classes.file}>
          <IconFileText className={classes.icon} size={18} aria-hidden />
          <div className={classes.name}>
            <Text size="sm" fw={600} truncate title={file.name}>
              {file.name}
            </Text>
            <Text size="xs" c="dimmed">
              {saySize(file.size)}
            </Text>
          </div>
          <Group gap="xs" wrap="nowrap" className={classes.controls ?? ""}>
            {file.holds === "all" ? (
              <Text size="sm" c="dimmed">
                {TEXTS.allTables}
              </Text>
            ) : (
              <NativeSelect
                aria-label={TEXTS.holdsOf(file.name)}
                value={file.holds ?? ""}
                disabled={isDisabled}
                error={file.holds === undefined}
                data={[
                  ...(file.holds === undefined ? [{ value: "", label: TEXTS.chooseTable }] : []),
                  ...TABLES.map((table) => ({ value: table, label: TABLE_TEXTS[table].name })),
                ]}
                onChange={(event) => {
                  const holds = TABLES.find((table) => table === event.currentTarget.value);
                  onChange(addFiles(without(file), [{ ...file, holds }]));
                }}
              />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={TEXTS.remove(file.name)}
              disabled={isDisabled}
              onClick={() => onChange(without(file))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        </li>
      ))}
    </ul>
  );
}

const KILO = 1024;

function saySize(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`;
  return bytes < KILO * KILO ? `${Math.ceil(bytes / KILO)} KB` : `${(bytes / KILO / KILO).toFixed(1)} MB`;
}
