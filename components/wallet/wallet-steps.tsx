"use client";

import { type ReactNode, useState } from "react";
import { Button } from "../ui/button";
import { Problem } from "../ui/problem";
import type { PayingWallet, Place } from "./payment/paying-wallet";
import type { WalletHandle } from "./wallet-handle";

interface ChooseWalletProps {
  handle: WalletHandle;
  mark: ReactNode;
  /** The wallet's purpose, and what it needs. */
  children: ReactNode;
}

/** The first step of every task with a wallet. */
export const ChooseWallet = ({ handle, mark, children }: ChooseWalletProps) => (
  <div className="grid gap-4">
    <div className="flex items-center gap-4">
      {mark}
      <p className="text-sm text-muted">{children}</p>
    </div>
    <Button look="primary" busy={handle.isConnecting} onClick={handle.choose} className="justify-self-start">
      {handle.isConnecting ? "Waiting for your wallet" : "Choose wallet"}
    </Button>
    {handle.problem ? <Problem>{handle.problem}</Problem> : null}
  </div>
);

interface ElsewhereProps {
  wallet: Pick<PayingWallet, "handle" | "switchChain">;
  place: Extract<Place, { kind: "elsewhere" }>;
  chainName: string;
}

/** The wallet is on another chain: the only action is to switch. */
export function Elsewhere({ wallet, place: { problem, canSwitch }, chainName }: ElsewhereProps) {
  const [busy, setBusy] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const change = async () => {
    setBusy(true);
    setRefused(false);
    await wallet.switchChain().catch(() => setRefused(true)); // declined, or unsupported: either way it is still on another chain
    setBusy(false);
  };
  return (
    <div className="grid gap-3">
      <Problem>{isRefused ? `The wallet did not switch. Select ${chainName} in your wallet, then come back.` : problem}</Problem>
      <div className="flex flex-wrap gap-3">
        {canSwitch ? (
          <Button look="primary" busy={busy} onClick={() => void change()}>
            Switch network
          </Button>
        ) : null}
        <Button look="quiet" onClick={() => void wallet.handle.forget()}>
          Use another wallet
        </Button>
      </div>
    </div>
  );
}
