"use client";

import { signIn } from "next-auth/react";
import { useCallback } from "react";
import { ConnectSteps } from "@/components/wallet/connect-steps";
import { notifySessionChanged } from "@/components/wallet/session-news";
import type { ProofSteps } from "@/components/wallet/use-proof";
import { rememberWallet } from "@/components/wallet/wallet-memory";
import { WalletProviders } from "@/components/wallet/wallet-providers";
import type { WalletAccess } from "@/lib/console/views/wallet";
import { signInProblem } from "./sign-in-problem";

interface ConnectWalletProps {
  access: WalletAccess;
  /** The page to open after sign-in. */
  next: string;
}

export function ConnectWallet({ access, next }: ConnectWalletProps) {
  const submit = useCallback<ProofSteps["submit"]>(
    async (signed, { chain, id }) => {
      const result = await signIn("wallet", { ...signed, redirect: false });
      if (!result?.ok) return { ok: false, message: await signInProblem(result?.error) };
      rememberWallet({ chain, id });
      notifySessionChanged();
      window.location.assign(next); // a full page load: the session has changed
      return { ok: true };
    },
    [next],
  );

  return (
    <WalletProviders {...access}>
      <ConnectSteps action="Sign in" requestChallenge={requestChallenge} submit={submit} />
    </WalletProviders>
  );
}

const requestChallenge: ProofSteps["requestChallenge"] = async ({ chain, address }) => {
  const response = await fetch("/api/auth/challenge", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ chain, address }),
  });
  const body = await response.json();
  return response.ok ? { ok: true, challenge: body } : { ok: false, message: body.message };
};
