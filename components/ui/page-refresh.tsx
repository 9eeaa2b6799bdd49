"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Has the page made anew every so often, while somebody looks at it. */
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
