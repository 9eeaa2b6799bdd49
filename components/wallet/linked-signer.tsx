"use client";

import type { ReactNode } from "react";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { Button } from "../ui/button";
import { Problem } from "../ui/problem";
import { shortAddress } from "../ui/text/short-address";
import { WalletChoices } from "./connect-steps";
import { useEvmWallet } from "./use-evm-wallet";
import { useSolanaWallet } from "./use-solana-wallet";
import type { WalletHandle } from "./wallet-handle";
import { isSameWallet } from "./wallet-types";

interface LinkedSignerProps {
  /** The account's wallets; any of them can sign. */
  signers: readonly NamedWallet[];
  /** The button's text. */
  action: ReactNode;
  busy: boolean;
  problem: string | null;
  press: (handle: WalletHandle) => void;
}

/** The button that has a linked wallet sign, after one is connected. */
export function LinkedSigner({ signers, action, busy, problem, press }: LinkedSignerProps) {
  const handles = [useEvmWallet(), useSolanaWallet()] as const;
  const connected = handles.filter(({ wallet }) => wallet !== null);
  const handle = connected.find(({ wallet }) => wallet && signers.some((one) => isSameWallet(one, wallet)));
  const stranger = connected[0]?.wallet;
  return (
    <div className="grid gap-3">
      {handle?.wallet ? (
        <>
          <p className="text-sm text-muted">
            Sign with <span className="font-mono text-ink">{shortAddress(handle.wallet.address)}</span> in {handle.wallet.name}.
          </p>
          <div className="flex flex-wrap gap-3">
            <Button look="primary" busy={busy} onClick={() => press(handle)}>
              {action}
            </Button>
            <Button look="quiet" disabled={busy} onClick={() => void handle.forget()}>
              Use another wallet
            </Button>
          </div>
        </>
      ) : (
        <>
          <p className="text-sm text-muted">
            {stranger ? (
              <>
                <span className="font-mono text-ink">{shortAddress(stranger.address)}</span> can’t sign this. Switch to one of these
                wallets: {signers.map(({ address }) => shortAddress(address)).join(", ")}.
              </>
            ) : (
              "Connect a linked wallet to sign. Signing is free."
            )}
          </p>
          <WalletChoices evm={handles[0]} solana={handles[1]} />
        </>
      )}
      {problem ? <Problem>{problem}</Problem> : null}
    </div>
  );
}
