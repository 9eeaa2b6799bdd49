"use client";

import { unstable_rethrow } from "next/navigation";
import { createContext, useContext, useState } from "react";
import { toast } from "sonner";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { SignedChallenge } from "../wallet/wallet-types";

export type Wish = NonNullable<Refusal["confirm"]>;

/**
 * Asks a linked wallet for a signature; null when there is none. Components that ask for signatures stand in a `StepUp`, which provides it.
 */
export const StepUpContext = createContext<((wish: Wish) => Promise<SignedChallenge | null>) | null>(null);

/**
 * Runs server actions, one at a time: busy while one is under way. An action that asks for a signature is run a second time with it. A
 * missing answer counts as a refusal.
 */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const confirm = useContext(StepUpContext);
  const attempt = async <Result>(action: () => Promise<Answer<Result>>): Promise<Answer<Result>> => {
    setBusy(true);
    try {
      return await action();
    } catch (error) {
      unstable_rethrow(error); // an ended session redirects to sign-in
      return { ok: false, message: "The service did not answer. Reload the page to see whether it was done, then try again." };
    } finally {
      setBusy(false);
    }
  };
  const run = async <Result>(action: (proof?: SignedChallenge) => Promise<Answer<Result>>): Promise<Answer<Result>> => {
    const answer = await attempt(() => action());
    if (answer.ok || !answer.confirm || !confirm) return answer;
    const signed = await confirm(answer.confirm);
    return signed ? attempt(() => action(signed)) : { ok: false, message: "Not signed. Nothing was changed." };
  };
  return { busy, run };
}

/** Says in a toast what became of an action. */
export async function showOutcome(outcome: Promise<Answer>, done: string, toastId?: string): Promise<void> {
  const answer = await outcome;
  if (answer.ok) toast.success(done, toastId === undefined ? undefined : { id: toastId });
  else toast.error(answer.message);
}
