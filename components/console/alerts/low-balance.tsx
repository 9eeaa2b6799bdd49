"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { usdText } from "@/lib/base/money";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { DollarInput, Field } from "../../ui/field";
import { hasTooLong, useWrongField } from "../../ui/wrong-field";
import { useAction } from "../use-action";

interface LowBalanceProps {
  /** Nano-USD; null: no alert. */
  line: bigint | null;
  /** An empty field turns the alert off. */
  save: (line: { amount: string }) => Promise<Answer>;
  frozen: boolean;
}

/** The balance below which the owner is alerted. */
export function LowBalance({ line, save, frozen }: LowBalanceProps) {
  const [amount, setAmount] = useState(line === null ? "" : usdText(line));
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const form = useWrongField(refusal);
  const { busy, run } = useAction();
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (hasTooLong(event.currentTarget)) return;
    const answer = await run(() => save({ amount }));
    setRefusal(answer.ok ? null : answer);
    if (answer.ok)
      toast.success(
        amount.trim() === ""
          ? "Saved. The low-balance alert is off."
          : `Saved. We’ll alert you when your balance falls below $${amount.trim().replace(/^\$\s*/, "")}.`,
      );
  };
  return (
    <form ref={form} onSubmit={(event) => void send(event)} noValidate className="max-w-96">
      <Field
        label="Alert me when my balance falls below"
        error={refusal?.message ?? null}
        hint="Sent to your destinations and shown on the overview. Leave empty for no alert."
        limit={{ of: textLimits.amount, text: amount }}
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
