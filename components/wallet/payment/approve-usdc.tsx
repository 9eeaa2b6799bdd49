"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { chainRegistry } from "@/lib/base/chains";
import { PaymentProgress } from "./payment-progress";
import { UsdcField } from "./usdc-field";
import { formatUnits, readUsdcText } from "./usdc-text";
import type { Payer } from "./use-payer";
import { usePayment } from "./use-payment";

interface ApproveUsdcProps {
  payer: Payer;
  chainName: string;
  /** The initial amount in the form: "5.00". */
  proposed: string;
  /** Selects another wallet, where nothing else on the page does. */
  onAnother?: () => void;
}

/** Sets or revokes how much the payment contract may take. */
export function ApproveUsdc({ payer, chainName, proposed, onAnother }: ApproveUsdcProps) {
  const { funds } = payer;
  const { state, pay: approve } = usePayment({ pay: payer.approve }, { chainName, feeCoin: chainRegistry.base.nativeCurrency });
  const [text, setText] = useState(proposed);
  const [error, setError] = useState<string | null>(null);
  const [requested, setRequested] = useState(0n);
  const isBusy = state.step === "signing" || state.step === "sent";
  const request = (units: bigint) => {
    setError(null);
    setRequested(units);
    void approve(units);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      request(readUsdcText(text));
    } catch (problem) {
      if (!(problem instanceof RangeError)) throw problem;
      setError(problem.message);
    }
  };
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <UsdcField
        hint="The total that payments you sign can take. Replaces the current allowance."
        error={error}
        value={text}
        disabled={isBusy}
        onChange={(written) => {
          setText(written);
          setError(null);
        }}
        feeProblem={funds?.feeProblem ?? null}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="primary" busy={isBusy && requested > 0n} disabled={!funds || isBusy}>
          Approve USDC for payments
        </Button>
        {funds && funds.allowance > 0n ? (
          <Button look="danger" busy={isBusy && requested === 0n} disabled={isBusy} onClick={() => request(0n)}>
            Revoke
          </Button>
        ) : null}
        {onAnother ? (
          <Button look="quiet" disabled={isBusy} onClick={onAnother}>
            Use another wallet
          </Button>
        ) : null}
      </div>
      <PaymentProgress state={state} chainName={chainName} />
      {state.step === "paid" ? (
        <p role="status" className="text-sm">
          {requested === 0n
            ? "Revoked. The payment contract can no longer take USDC from this wallet."
            : `Approved. Payments you sign can take up to ${formatUnits(requested)} from this wallet.`}
        </p>
      ) : null}
    </form>
  );
}
