import { Amount } from "@/components/ui/text/amount";
import { ShortAddress } from "@/components/ui/text/short-address";
import type { RunPayment } from "../run";
import { centsToNano } from "./pay-types";

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
        "Paid from this wallet’s credit: nothing left the wallet."
      )}{" "}
      Change: <Amount nano={change} />, {changeBelongsTo === "account" ? "in your balance" : "kept as a credit of this wallet"}.
    </p>
    {transaction ? (
      <p className="mt-1 flex items-center gap-2">
        Transaction <ShortAddress value={transaction} what="transaction" />
      </p>
    ) : null}
  </div>
);
