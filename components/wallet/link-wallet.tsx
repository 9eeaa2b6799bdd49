"use client";

import { useEffect, useState } from "react";
import { shortAddress } from "@/components/ui/text/short-address";
import type { NamedWallet, WalletAccess } from "@/lib/console/views/wallet";
import { Button } from "../ui/button";
import { useFocusOnStep } from "../ui/use-focus-on-step";
import { AllowedBy, ChooseNew, Consequence, Progress } from "./link-steps";
import { startLinking } from "./linking";
import { useEvmWallet } from "./use-evm-wallet";
import type { LinkActions } from "./use-link";
import { useLink } from "./use-link";
import { useSolanaWallet } from "./use-solana-wallet";
import { WalletProviders } from "./wallet-providers";
import { isSameWallet } from "./wallet-types";

interface LinkWalletProps extends LinkActions {
  /** The account's wallets; one of them approves the new one. */
  linked: readonly NamedWallet[];
  /** `absorbed`: the new wallet's own account was merged into this one. */
  onLinked: (absorbed: boolean) => void;
}

export interface WalletLinkingProps extends LinkWalletProps {
  access: WalletAccess;
}

/** Linking with the wallet libraries around it: large, so it is loaded on demand. */
export const WalletLinking = ({ access, ...link }: WalletLinkingProps) => (
  <WalletProviders {...access}>
    <LinkWallet {...link} />
  </WalletProviders>
);

/** Links another wallet: it signs, and a linked wallet approves. */
function LinkWallet({ linked, ...link }: LinkWalletProps) {
  const handles = { evm: useEvmWallet(), solana: useSolanaWallet() };
  const { state, approval, signJoin, signAllow, restart } = useLink(link);
  const [allow, setAllow] = useState(linked[0]);

  useEffect(startLinking, []);
  const step = useFocusOnStep(state.phase);

  if (!allow) return null;
  const isLinked = (wallet: NamedWallet) => linked.some((one) => isSameWallet(one, wallet));
  const fresh = Object.values(handles).find(({ wallet }) => wallet && !isLinked(wallet));

  if (state.phase === "join") {
    return (
      <section ref={step} tabIndex={-1} aria-label="Step 1 of 2" className="grid gap-4 outline-none">
        <Progress step={1} text="Sign with the new wallet" problem={state.problem} />
        {fresh?.wallet ? (
          <>
            <p className="text-sm">
              New wallet: <span className="font-mono">{shortAddress(fresh.wallet.address)}</span> in {fresh.wallet.name}
            </p>
            <AllowedBy linked={linked} value={allow} onChange={setAllow} />
            <div className="flex flex-wrap gap-3">
              <Button look="primary" busy={state.busy} onClick={() => void signJoin(fresh, allow)}>
                Sign with the new wallet
              </Button>
              <Button look="quiet" disabled={state.busy} onClick={() => void fresh.forget()}>
                Use another wallet
              </Button>
            </div>
          </>
        ) : (
          <ChooseNew handles={handles} />
        )}
      </section>
    );
  }

  const handle = handles[allow.chain];
  const isThere = handle.wallet !== null && isSameWallet(handle.wallet, allow);
  return (
    <section ref={step} tabIndex={-1} aria-label="Step 2 of 2" className="grid gap-4 outline-none">
      <Progress step={2} text="Approve with a linked wallet" problem={state.problem} />
      {approval ? <Consequence {...approval} /> : null}
      <p className="text-sm">
        {isThere ? "Approve with " : "Choose the wallet that has this address: "}
        <span className="font-mono">{shortAddress(allow.address)}</span>
      </p>
      <div className="flex flex-wrap gap-3">
        {isThere ? (
          <Button look="primary" busy={state.busy} onClick={() => void signAllow(handle)}>
            Sign with the linked wallet
          </Button>
        ) : (
          <Button look="primary" onClick={() => handle.choose()}>
            Choose wallet
          </Button>
        )}
        <Button look="quiet" disabled={state.busy} onClick={restart}>
          Start again
        </Button>
      </div>
    </section>
  );
}
