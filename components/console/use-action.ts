"use client";

import { unstable_rethrow } from "next/navigation";
import { useState } from "react";
import type { Answer } from "@/lib/console/views/answer";

/** Runs server actions, one at a time: busy while one is under way. A missing answer counts as a refusal. */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const run = async <Result>(action: () => Promise<Answer<Result>>): Promise<Answer<Result>> => {
    setBusy(true);
    try {
      return await action();
    } catch (error) {
      unstable_rethrow(error); // an ended session redirects to sign-in
      return { ok: false, message: "No answer came. Reload the page to see whether it was done, then try again." };
    } finally {
      setBusy(false);
    }
  };
  return { busy, run };
}
