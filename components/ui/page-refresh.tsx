"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Refreshes the page periodically while it is visible. */
export function PageRefresh({ everyMs }: { everyMs: number }) {
  const { refresh } = useRouter();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [refresh, everyMs]);
  return null;
}
