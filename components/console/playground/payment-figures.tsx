import { Amount } from "@/components/ui/text/amount";
import { ShortAddress } from "@/components/ui/text/short-address";
import { centsToNano } from "./pay-types";
import type { RunPayment } from "./run";

interface PaymentFiguresProps {
  payment: RunPayment;
  /** The signed amount, in USDC cents. */
  cents: number;
}

/** What a wallet paid for a run, and where the change went. */
export const PaymentFigures = ({ payment: { transaction, change, changeBelongsTo }, cents }: PaymentFiguresProps) => (
  <div className="mt-3 text-xs text-muted">
    <p>
      {transaction ? (
        <>
          Paid from the wallet: <Amount nano={centsToNano(cents)} />.
        </>
      ) : (
        "Paid from a credit of the wallet: nothing left it."
      )}{" "}
      Change: <Amount nano={change} />, {changeBelongsTo === "account" ? "in your balance" : "a credit of its address"}.
    </p>
    {transaction ? (
      <p className="mt-1 flex items-center gap-2">
        Transaction <ShortAddress value={transaction} what="transaction" />
      </p>
    ) : null}
  </div>
);
