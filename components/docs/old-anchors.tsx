"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Links from when every operation was on one page: `#createPrompt` and `#createPrompt-errors` lead to the operation's own page. */
export function OldAnchors({ ids }: { ids: readonly string[] }) {
  const { replace } = useRouter();
  useEffect(() => {
    const follow = () => {
      const [id = "", part] = window.location.hash.slice(1).split("-");
      if (ids.includes(id)) replace(`/docs/api/${id}${part ? `#${part}` : ""}`);
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [ids, replace]);
  return null;
}
