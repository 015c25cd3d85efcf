import { lazy, Suspense, useEffect, useState } from "react";

const ToastPlace = lazy(() => import("./toast-place.tsx").then((module) => ({ default: module.ToastPlace })));

const WAIT_MS = 500;

/** Fetches the place for toasts when the first page is there. A toast that comes before waits for it. */
export function LateToastPlace() {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{isTime && <ToastPlace />}</Suspense>;
}
