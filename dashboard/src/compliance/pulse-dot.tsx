import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./pulse-dot.module.css";

/** A dot that breathes while something is awaited or live; still for those who want no motion. */
export function PulseDot({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap={8} wrap="nowrap" component="span">
      <span className={classes.dot} aria-hidden />
      {children}
    </Group>
  );
}
