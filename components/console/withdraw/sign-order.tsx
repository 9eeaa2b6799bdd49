"use client";

import { useState } from "react";
import type { Answer } from "@/lib/console/views/answer";
import type { NamedWallet, WalletAccess } from "@/lib/console/views/wallet";
import type { DrawnOrder } from "@/lib/console/views/withdraw";
import { LinkedSigner } from "../../wallet/linked-signer";
import { wordsFor } from "../../wallet/wallet-error";
import type { WalletHandle } from "../../wallet/wallet-handle";
import { WalletProviders } from "../../wallet/wallet-providers";
import { useAction } from "../use-action";

interface SignedOrder extends Omit<DrawnOrder, "text" | "waits"> {
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
  const { problem, step, press } = useSigning(order, take, onTaken);
  const action = step === "signing" ? "Sign in your wallet" : step === "taking" ? "Sending" : "Sign and withdraw";
  return (
    <LinkedSigner signers={signers} action={action} busy={step !== "ready"} problem={problem} press={(handle) => void press(handle)} />
  );
}

type Step = "ready" | "signing" | "taking";

function useSigning({ text, waits: _, ...order }: DrawnOrder, take: TakeWithdrawal, onTaken: () => void) {
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
