/** Takes files that are dropped anywhere on the page, or chosen. DropArea { hasFiles, isBusy, onFiles } */
import { Button, FileButton, Text } from "@mantine/core";
import { IconFileImport, IconUpload } from "@tabler/icons-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import classes from "./drop-area.module.css";

export interface DropAreaProps {
  readonly hasFiles: boolean;
  readonly isDisabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function DropArea({ hasFiles, isDisabled, onFiles }: DropAreaProps) {
  const isOver = useDroppedFiles(isDisabled, onFiles);
  const reset = useRef<() => void>(null);
  const take = (files: File[]) => {
    // The same file, chosen again after it was mended, is a choice too.
    reset.current?.();
    onFiles(files);
  };
  return (
    <div className={classes.area} data-over={isOver || undefined} data-small={hasFiles || undefined}>
      <IconFileImport className={classes.icon} size={28} stroke={1.5} aria-hidden />
      <Text fw={600}>{hasFiles ? TEXTS.dropMore : TEXTS.drop}</Text>
      <Text size="sm" c="dimmed">
        {TEXTS.or}
      </Text>
      <FileButton
        onChange={take}
        accept=".csv,.json,.txt,.tsv,text/csv,application/json"
        multiple
        resetRef={reset}
        disabled={isDisabled}
      >
        {(props) => (
          <Button
            {...props}
            variant={hasFiles ? "default" : "filled"}
            disabled={isDisabled}
            leftSection={<IconUpload size={16} aria-hidden />}
          >
            {TEXTS.choose}
          </Button>
        )}
      </FileButton>
      {!hasFiles && (
        <Text size="sm" c="dimmed" maw={520}>
          {TEXTS.formats}
        </Text>
      )}
    </div>
  );
}

/** Whether files are held over the page. Beside the area they are taken as well: the browser would open them in place of the page. */
function useDroppedFiles(isDisabled: boolean, onFiles: DropAreaProps["onFiles"]): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useEffectEvent((files: readonly File[]) => {
    if (!isDisabled && files.length > 0) onFiles(files);
  });
  useEffect(() => {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const onOver = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      take([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener("dragover", onOver);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, []);
  return isOver && !isDisabled;
}
