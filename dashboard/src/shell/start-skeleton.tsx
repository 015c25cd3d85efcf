/** Stands while the server is asked who is here. */
import { Skeleton, VisuallyHidden } from "@mantine/core";
import { APP_NAME } from "../texts/frame-texts.ts";
import { PageSkeleton } from "../ui/skeletons.tsx";
import { Logo } from "./logo.tsx";
import classes from "./shell.module.css";

export function StartSkeleton() {
  return (
    <>
      <div className={classes.startHeader}>
        <Logo />
        <Skeleton height={14} width={160} />
      </div>
      <main className={classes.page}>
        <VisuallyHidden component="h1">{APP_NAME}</VisuallyHidden>
        <PageSkeleton />
      </main>
    </>
  );
}
