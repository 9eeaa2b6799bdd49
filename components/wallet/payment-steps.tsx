"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "../ui/button";
import { ShortAddress } from "../ui/short-address";
import { useFocusOnStep } from "../ui/use-focus-on-step";
import { EvmMark, SolanaMark } from "./chain-marks";
import { startLinking } from "./linking";
import type { PayingWallet } from "./paying-wallet";
import { PaymentForm } from "./payment-form";
import { type PaymentState, usePayment } from "./use-payment";

interface PaymentStepsProps {
  wallet: PayingWallet;
  /** As it reads: "Base". */
  chainName: string;
  /** The deposit address. */
  to: string;
  /** Nano-USD; less waits until it adds up to it. */
  minimum: bigint;
  /** What the network's fee is paid in. */
  feeCoin: string;
}

/** Choose the wallet that pays, then how much, then wait until the chain has it. */
export function PaymentSteps({ wallet, chainName, to, minimum, feeCoin }: PaymentStepsProps) {
  const { handle, place, funds } = wallet;
  const { state, pay, again } = usePayment(wallet);
  const step = useFocusOnStep(state.step === "paid" ? "paid" : handle.wallet ? "form" : "choose");
  // While somebody chooses what to pay from, switching the wallet's account does not sign them out.
  useEffect(startLinking, []);

  return (
    <div ref={step} tabIndex={-1} className="grid gap-4 outline-none">
      {state.step === "paid" ? (
        <Paid state={state} chainName={chainName} onAgain={again} />
      ) : !handle.wallet ? (
        <Choose wallet={wallet} chainName={chainName} feeCoin={feeCoin} />
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
            <Elsewhere wallet={wallet} problem={place.problem} canSwitch={place.canSwitch} chainName={chainName} />
          ) : (
            <PaymentForm
              funds={funds}
              minimum={minimum}
              isBusy={state.step === "signing" || state.step === "sent"}
              onPay={pay}
              onAnother={() => void handle.forget()}
            />
          )}
          <Progress state={state} chainName={chainName} />
        </>
      )}
    </div>
  );
}

function Choose({ wallet: { handle }, chainName, feeCoin }: Pick<PaymentStepsProps, "wallet" | "chainName" | "feeCoin">) {
  const Mark = feeCoin === "SOL" ? SolanaMark : EvmMark;
  return (
    <div className="grid gap-4">
      <div className="flex items-center gap-4">
        <Mark />
        <p className="text-sm text-muted">
          Choose the wallet that pays. It needs USDC on {chainName}, and a little {feeCoin} for the network’s fee.
        </p>
      </div>
      <Button look="primary" busy={handle.isConnecting} onClick={handle.choose} className="justify-self-start">
        {handle.isConnecting ? "Waiting for your wallet" : "Choose wallet"}
      </Button>
      {handle.problem ? <Problem>{handle.problem}</Problem> : null}
    </div>
  );
}

interface ElsewhereProps {
  wallet: PayingWallet;
  problem: string;
  canSwitch: boolean;
  chainName: string;
}

function Elsewhere({ wallet, problem, canSwitch, chainName }: ElsewhereProps) {
  const [busy, setBusy] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const change = async () => {
    setBusy(true);
    setRefused(false);
    await wallet.switchChain().catch(() => setRefused(true)); // declined there, or it cannot: either way it is still elsewhere
    setBusy(false);
  };
  return (
    <div className="grid gap-3">
      <Problem>{isRefused ? `The wallet did not switch. Choose ${chainName} in the wallet itself, then come back here.` : problem}</Problem>
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

const Problem = ({ children }: { children: ReactNode }) => (
  <p role="alert" className="text-sm text-red">
    {children}
  </p>
);

function Progress({ state, chainName }: { state: PaymentState; chainName: string }) {
  return (
    <div aria-live="polite" className="text-sm empty:hidden">
      {state.step === "signing" ? <p>Confirm in your wallet; look for its window.</p> : null}
      {state.step === "sent" ? (
        <p className="flex flex-wrap items-center gap-x-2">
          Sent. Waiting until {chainName} has it: <ShortAddress value={state.transaction} what="transaction" />
        </p>
      ) : null}
      {state.step === "failed" ? <Problem>{state.message}</Problem> : null}
    </div>
  );
}

function Paid({ state, chainName, onAgain }: { state: { transaction: string }; chainName: string; onAgain: () => void }) {
  return (
    <div className="grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-x-2 text-sm">
        {chainName} has it: <ShortAddress value={state.transaction} what="transaction" />
      </p>
      <p className="text-sm text-muted">It appears in the list below by itself, counts its confirmations, and is then in your balance.</p>
      <Button className="justify-self-start" onClick={onAgain}>
        Send more
      </Button>
    </div>
  );
}
