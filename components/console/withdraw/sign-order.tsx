"use client";

import { useState } from "react";
import { shortAddress } from "@/components/ui/text/short-address";
import type { Answer } from "@/lib/console/views/answer";
import type { NamedWallet, WalletAccess } from "@/lib/console/views/wallet";
import type { DrawnOrder } from "@/lib/console/views/withdraw";
import { Button } from "../../ui/button";
import { Problem } from "../../ui/problem";
import { WalletChoices } from "../../wallet/connect-steps";
import { useEvmWallet } from "../../wallet/use-evm-wallet";
import { useSolanaWallet } from "../../wallet/use-solana-wallet";
import { wordsFor } from "../../wallet/wallet-error";
import type { WalletHandle } from "../../wallet/wallet-handle";
import { WalletProviders } from "../../wallet/wallet-providers";
import { isSameWallet } from "../../wallet/wallet-types";
import { useAction } from "../use-action";

interface SignedOrder extends Omit<DrawnOrder, "text" | "needsApproval"> {
  signer: NamedWallet;
  signature: string;
}

type TakeWithdrawal = (order: SignedOrder) => Promise<Answer<{ id: string }>>;

interface SignOrderProps {
  order: DrawnOrder;
  /** The account's wallets; any of them can sign. */
  signers: readonly NamedWallet[];
  take: TakeWithdrawal;
  onTaken: () => void;
}

export interface OrderSigningProps extends SignOrderProps {
  access: WalletAccess;
}

/** Signing with the wallet libraries around it: large, so it is loaded when an order is reviewed. */
export const OrderSigning = ({ access, ...signing }: OrderSigningProps) => (
  <WalletProviders {...access}>
    <SignOrder {...signing} />
  </WalletProviders>
);

/** A linked wallet signs the order, which is submitted with the signature. */
function SignOrder({ order, signers, take, onTaken }: SignOrderProps) {
  const handles = [useEvmWallet(), useSolanaWallet()] as const;
  const connected = handles.filter(({ wallet }) => wallet !== null);
  const handle = connected.find(({ wallet }) => wallet && signers.some((one) => isSameWallet(one, wallet)));
  const { problem, step, press } = useSigning(order, take, onTaken);
  const stranger = connected[0]?.wallet;
  return (
    <div className="grid gap-3">
      {handle?.wallet ? (
        <>
          <p className="text-sm text-muted">
            Sign with <span className="font-mono text-ink">{shortAddress(handle.wallet.address)}</span> in {handle.wallet.name}.
          </p>
          <div className="flex flex-wrap gap-3">
            <Button look="primary" busy={step !== "ready"} onClick={() => void press(handle)}>
              {step === "signing" ? "Sign in your wallet" : step === "taking" ? "Sending" : "Sign and withdraw"}
            </Button>
            <Button look="quiet" disabled={step !== "ready"} onClick={() => void handle.forget()}>
              Use another wallet
            </Button>
          </div>
        </>
      ) : (
        <>
          <p className="text-sm text-muted">
            {stranger ? (
              <>
                <span className="font-mono text-ink">{shortAddress(stranger.address)}</span> is not linked to this account. Switch to one of
                your linked wallets: {signers.map(({ address }) => shortAddress(address)).join(", ")}.
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

type Step = "ready" | "signing" | "taking";

function useSigning({ text, needsApproval: _, ...order }: DrawnOrder, take: TakeWithdrawal, onTaken: () => void) {
  const [step, setStep] = useState<Step>("ready");
  const [problem, setProblem] = useState<string | null>(null);
  const { run } = useAction();
  const fail = (message: string) => {
    setProblem(message);
    setStep("ready");
  };
  const press = async (handle: WalletHandle) => {
    setProblem(null);
    setStep("signing");
    const signed = await handle.sign({ nonce: order.nonce, text }).catch(wordsFor);
    if (typeof signed === "string") return fail(signed);
    setStep("taking");
    const { chain, address, signature } = signed;
    const answer = await run(() => take({ ...order, signer: { chain, address }, signature }));
    if (answer.ok) return onTaken();
    handle.refused();
    fail(answer.message);
  };
  return { step, problem, press };
}
