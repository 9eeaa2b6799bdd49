"use client";

import { useCallback, useState } from "react";
import type { Answer } from "@/lib/console/views/answer";
import type { PlainChallenge } from "@/lib/console/views/wallet";
import { wordsFor } from "./wallet-error";
import type { WalletHandle } from "./wallet-handle";
import type { ConnectedWallet, SignedChallenge } from "./wallet-types";

export interface ProofSteps {
  /** Requests the text for this wallet to sign. */
  requestChallenge: (wallet: ConnectedWallet) => Promise<Answer<{ challenge: PlainChallenge }>>;
  submit: (signed: SignedChallenge, wallet: ConnectedWallet) => Promise<Answer>;
}

export type ProofState = { step: "ready" | "asking" | "signing" | "checking" | "done" } | { step: "failed"; message: string };

/** Proves that the person holds a wallet: request the text, sign it, submit the signature. */
export function useProof({ requestChallenge, submit }: ProofSteps) {
  const [state, setState] = useState<ProofState>({ step: "ready" });

  const prove = useCallback(
    async ({ wallet, sign, refused }: WalletHandle): Promise<void> => {
      if (!wallet) return;
      setState({ step: "asking" });
      try {
        const requested = await requestChallenge(wallet);
        if (!requested.ok) return setState({ step: "failed", message: requested.message });
        setState({ step: "signing" });
        const signed = await sign(requested.challenge).catch((error: unknown) => wordsFor(error));
        if (typeof signed === "string") return setState({ step: "failed", message: signed });
        setState({ step: "checking" });
        const outcome = await submit(signed, wallet);
        if (outcome.ok) return setState({ step: "done" });
        refused();
        setState({ step: "failed", message: outcome.message });
      } catch {
        setState({ step: "failed", message: "The service did not answer. Check your connection, then try again." });
      }
    },
    [requestChallenge, submit],
  );

  const reset = useCallback(() => setState({ step: "ready" }), []);
  return { state, prove, reset };
}
