import type { ReactNode } from "react";
import { Amount, placesOf } from "@/components/ui/text/amount";

interface OrderSumProps {
  /** nano-USD; null while the field is empty. */
  amount: bigint | null;
  /** Null while the chain cannot be asked; `highestFee` is its maximum. */
  fee: bigint | null;
  highestFee: bigint;
}

/** The amount that arrives, the fee, and the amount that leaves the balance. */
export function OrderSum({ amount, fee, highestFee }: OrderSumProps) {
  const total = amount === null || fee === null ? null : amount + fee;
  const places = placesOf([amount, fee, total].filter((one) => one !== null));
  const figure = (value: bigint | null) =>
    value === null ? <span className="text-faint">–</span> : <Amount nano={value} places={places} />;
  return (
    <dl className="grid gap-2 border-t border-line pt-4 text-sm">
      <Line title="You receive">{figure(amount)}</Line>
      <Line title="Fee">
        {fee === null ? (
          <span className="font-sans text-muted">
            up to <Amount nano={highestFee} />, shown before you sign
          </span>
        ) : (
          figure(fee)
        )}
      </Line>
      <Line title="Deducted from your balance" strong>
        {figure(total)}
      </Line>
    </dl>
  );
}

const Line = ({ title, strong = false, children }: { title: string; strong?: boolean; children: ReactNode }) => (
  <div className={`flex items-baseline justify-between gap-4 ${strong ? "border-t border-line pt-2 font-medium" : ""}`}>
    <dt className={strong ? "" : "text-muted"}>{title}</dt>
    <dd className="text-right font-mono">{children}</dd>
  </div>
);
