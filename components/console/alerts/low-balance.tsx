"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { usdText } from "@/lib/base/money";
import type { Answer } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { DollarInput, Field } from "../../ui/field";
import { useAction } from "../use-action";

interface LowBalanceProps {
  /** Nano-USD; null: no alert. */
  line: bigint | null;
  /** An empty field turns the alert off. */
  save: (line: { amount: string }) => Promise<Answer>;
  frozen: boolean;
}

/** The threshold: the balance below which the owner hears of it. */
export function LowBalance({ line, save, frozen }: LowBalanceProps) {
  const [amount, setAmount] = useState(line === null ? "" : usdText(line));
  const [error, setError] = useState<string | null>(null);
  const { busy, run } = useAction();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run(() => save({ amount }));
    setError(answer.ok ? null : answer.message);
    if (answer.ok)
      toast.success(
        amount.trim() === ""
          ? "Saved. The alert is off."
          : `Saved. You hear when the balance falls below $${amount.trim().replace(/^\$\s*/, "")}.`,
      );
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate className="max-w-96">
      <Field
        label="Tell me when the balance falls below"
        error={error}
        hint="Your endpoints hear of it, and the overview shows it. Leave empty for no alert."
      >
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
