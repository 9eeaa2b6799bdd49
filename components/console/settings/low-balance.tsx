"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { usdText } from "@/lib/base/money";
import type { Answer } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { DollarInput, Field } from "../../ui/field";
import { useAction } from "../use-action";

interface LowBalanceProps {
  /** Nano-USD; null: no warning. */
  line: bigint | null;
  /** An empty field turns the warning off. */
  save: (line: { amount: string }) => Promise<Answer>;
  frozen: boolean;
}

/** The balance below which the console warns. */
export function LowBalance({ line, save, frozen }: LowBalanceProps) {
  const [amount, setAmount] = useState(line === null ? "" : usdText(line));
  const [error, setError] = useState<string | null>(null);
  const { busy, run } = useAction();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run(() => save({ amount }));
    setError(answer.ok ? null : answer.message);
    if (answer.ok) toast.success(amount.trim() === "" ? "Saved. You get no warning." : "Saved. Below this line the console warns you.");
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate className="max-w-96">
      <Field label="Warn when less is available than" error={error} hint="The console warns you below it. Empty: no warning.">
        {(control) => (
          <div className="flex gap-3">
            <DollarInput
              frameClassName="grow"
              {...control}
              placeholder="5.00"
              value={amount}
              onChange={({ target }) => setAmount(target.value)}
              disabled={frozen}
            />
            <Button type="submit" busy={busy} disabled={frozen}>
              Save
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
