"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useCallback, useState } from "react";
import { Dialog } from "../../ui/dialog";
import { WalletButtonLoading } from "../../wallet/wallet-loading";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { StepUpContext, type Wish } from "../use-action";
import type { ConfirmSigningProps } from "./confirm-signing";

const ConfirmSigning = dynamic(() => import("./confirm-signing").then((module) => module.ConfirmSigning), {
  ssr: false,
  loading: WalletButtonLoading,
});

type StepUpProps = Omit<ConfirmSigningProps, "wish" | "onSigned"> & { children: ReactNode };

/** Wraps components that ask for signatures: shows the statement to sign, and has a linked wallet sign it. */
export function StepUp({ children, ...signing }: StepUpProps) {
  const [asked, setAsked] = useState<{ wish: Wish; answer: (signed: SignedChallenge | null) => void } | null>(null);
  const confirm = useCallback((wish: Wish) => new Promise<SignedChallenge | null>((answer) => setAsked({ wish, answer })), []);
  const end = (signed: SignedChallenge | null) => {
    asked?.answer(signed);
    setAsked(null);
  };
  return (
    <StepUpContext value={confirm}>
      {children}
      <Dialog
        open={asked !== null}
        onOpenChange={(wanted) => wanted || end(null)}
        title="Confirm with your wallet"
        description="Sign to prove it’s you. The signature is free and moves no money."
      >
        {asked ? (
          <div className="grid gap-4">
            <p className="rounded border border-line bg-panel p-3 text-sm break-words">{asked.wish.statement}</p>
            <ConfirmSigning {...signing} wish={asked.wish} onSigned={end} />
          </div>
        ) : null}
      </Dialog>
    </StepUpContext>
  );
}
