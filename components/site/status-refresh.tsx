"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

const EVERY_MS = 15_000;

/** Has the page made anew while somebody looks at it. */
export function StatusRefresh() {
  const { refresh } = useRouter();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [refresh]);
  return null;
}
