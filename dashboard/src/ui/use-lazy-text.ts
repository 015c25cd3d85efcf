import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 250;

/**
 * The text of a field that filters. What is typed is told a moment after the last key, undefined when nothing is left. When `value`
 * changes by something else (a link, the way back, "clear filters"), the field follows.
 */
export function useLazyText(
  value: string | undefined,
  onChange: (value: string | undefined) => void,
): readonly [typed: string, change: (text: string) => void] {
  const [typed, setTyped] = useState(value ?? "");
  const told = useRef(value);
  const tell = useDebouncedCallback((text: string) => {
    told.current = text.trim() === "" ? undefined : text.trim();
    onChange(told.current);
  }, PAUSE_MS);
  useEffect(() => {
    if (value !== told.current) setTyped(value ?? "");
    told.current = value;
  }, [value]);
  const change = (text: string) => {
    setTyped(text);
    tell(text);
  };
  return [typed, change];
}
