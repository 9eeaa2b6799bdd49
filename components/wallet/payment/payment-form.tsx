"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { formatUsd } from "@/lib/base/money";
import type { Funds } from "./paying-wallet";
import { UsdcField } from "./usdc-field";
import { formatUnits, readUsdcText } from "./usdc-text";

interface PaymentFormProps {
  /** Null until they are read. */
  funds: Funds | null;
  /** Nano-USD. */
  minimum: bigint;
  isBusy: boolean;
  onPay: (units: bigint) => Promise<void>;
  onAnother: () => void;
}

/** The amount to send, beside the wallet's funds. */
export function PaymentForm({ funds, minimum, isBusy, onPay, onAnother }: PaymentFormProps) {
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      const units = readUsdcText(text);
      if (funds && units > funds.units) throw new RangeError(`Not enough USDC. This wallet has ${formatUnits(funds.units)}.`);
      setError(null);
      void onPay(units);
    } catch (problem) {
      if (!(problem instanceof RangeError)) throw problem;
      setError(problem.message);
    }
  };
  const isEmpty = funds?.units === 0n;
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <UsdcField
        hint={
          <>
            {funds ? `This wallet has ${formatUnits(funds.units)}.` : "Checking this wallet’s balance…"} Minimum deposit:{" "}
            {formatUsd(minimum)}.
          </>
        }
        error={error ?? (isEmpty ? "This wallet has no USDC on this network. Add some or use another wallet." : null)}
        placeholder="5.00"
        value={text}
        disabled={isBusy}
        onChange={(written) => {
          setText(written);
          setError(null);
        }}
        feeProblem={funds?.feeProblem ?? null}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="primary" busy={isBusy} disabled={!funds || isEmpty}>
          Send
        </Button>
        <Button look="quiet" disabled={isBusy} onClick={onAnother}>
          Use another wallet
        </Button>
      </div>
    </form>
  );
}
