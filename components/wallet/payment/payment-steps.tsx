"use client";

import { type ReactNode, useEffect } from "react";
import { Button } from "@/components/ui/button";
import { ShortAddress } from "@/components/ui/text/short-address";
import { useFocusOnStep } from "@/components/ui/use-focus-on-step";
import { EvmMark, SolanaMark } from "../chain-marks";
import { startLinking } from "../linking";
import { ChooseWallet, Elsewhere } from "../wallet-steps";
import type { Funds, PayingWallet } from "./paying-wallet";
import { PaymentForm } from "./payment-form";
import { PaymentProgress } from "./payment-progress";
import { usePayment } from "./use-payment";

export interface PaymentStepsProps {
  wallet: PayingWallet;
  /** Its display name: "Base". */
  chainName: string;
  /** The deposit address. */
  to: string;
  /** Nano-USD; smaller deposits wait until they add up to it. */
  minimum: bigint;
  /** The currency of the network's fee. */
  feeCoin: string;
  /** Sends test money to a wallet that lacks it, in a sandbox. */
  testMoney?: ((wallet: string) => ReactNode) | undefined;
}

/** Choose the paying wallet, then the amount, then wait until the chain has it. */
export function PaymentSteps({ wallet, chainName, to, minimum, feeCoin, testMoney }: PaymentStepsProps) {
  const { handle, place, funds } = wallet;
  const { state, pay, again } = usePayment(wallet, { chainName, feeCoin });
  const step = useFocusOnStep(state.step === "paid" ? "paid" : handle.wallet ? "form" : "choose");
  // While a person chooses a wallet to pay from, switching the wallet's account must not sign them out.
  useEffect(startLinking, []);

  return (
    <div ref={step} tabIndex={-1} className="grid gap-4 outline-none">
      {state.step === "paid" ? (
        <Paid state={state} chainName={chainName} onAgain={again} />
      ) : !handle.wallet ? (
        <ChooseWallet handle={handle} mark={feeCoin === "SOL" ? <SolanaMark /> : <EvmMark />}>
          Choose a wallet with USDC on {chainName} and a little {feeCoin} for the network fee.
        </ChooseWallet>
      ) : (
        <>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2 text-sm">
            <dt className="text-muted">From</dt>
            <dd className="flex min-w-0 flex-wrap items-center gap-x-2">
              <ShortAddress value={handle.wallet.address} what="wallet's address" />
              <span className="text-muted">in {handle.wallet.name}</span>
            </dd>
            <dt className="text-muted">To</dt>
            <dd className="flex min-w-0 flex-wrap items-center gap-x-2">
              <ShortAddress value={to} what="deposit address" />
              <span className="text-muted">your {chainName} address</span>
            </dd>
          </dl>
          {place.kind === "elsewhere" ? (
            <Elsewhere wallet={wallet} place={place} chainName={chainName} />
          ) : (
            <PaymentForm
              funds={funds}
              minimum={minimum}
              isBusy={state.step === "signing" || state.step === "sent"}
              onPay={pay}
              onAnother={() => void handle.forget()}
            />
          )}
          {testMoney && place.kind === "here" && lacksMoney(funds) ? testMoney(handle.wallet.address) : null}
          <PaymentProgress state={state} chainName={chainName} />
        </>
      )}
    </div>
  );
}

const lacksMoney = (funds: Funds | null): boolean => funds !== null && (funds.units === 0n || funds.feeProblem !== null);

function Paid({ state, chainName, onAgain }: { state: { transaction: string }; chainName: string; onAgain: () => void }) {
  return (
    <div className="grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-x-2 text-sm">
        Sent on {chainName}: <ShortAddress value={state.transaction} what="transaction" />
      </p>
      <p className="text-sm text-muted">It appears in the list below. We’ll add it to your balance once confirmed.</p>
      <Button className="justify-self-start" onClick={onAgain}>
        Send more
      </Button>
    </div>
  );
}
