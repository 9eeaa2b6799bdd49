import Link from "next/link";
import { Amount } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { Button } from "../../ui/button";
import type { RunQuote } from "./run-request";

interface HoldLineProps {
  /** Null while the form is not ready to be priced. */
  quote: RunQuote | null;
  /** The form has changed since: a new price is awaited. */
  isPending: boolean;
  /** Nano-USD. */
  available: bigint;
  /** A run is under way, which changes the available balance. */
  isChanging: boolean;
}

/** The maximum that a run reserves, beside the available balance. */
export function HoldLine({ quote, isPending, available, isChanging }: HoldLineProps) {
  const isShort = quote !== null && quote.ceiling > available;
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs">
      <div className="flex gap-1.5">
        <dt className="text-muted">Available</dt>
        <dd className={`font-mono ${isChanging ? "text-faint" : ""}`}>
          <Amount nano={available} />
        </dd>
      </div>
      <div className="flex gap-1.5">
        <dt className="text-muted">Maximum cost</dt>
        <dd className={`font-mono ${isPending ? "text-faint" : isShort ? "text-red" : ""}`}>
          {quote ? <Amount nano={quote.ceiling} /> : <span className="text-faint">–</span>}
        </dd>
      </div>
    </dl>
  );
}

interface MoneyProblemProps extends Pick<HoldLineProps, "quote" | "available"> {
  isFrozen: boolean;
  onLower: (tokens: number) => void;
}

/** Why the balance does not pay for the message. */
export function MoneyProblem({ quote, available, isFrozen, onLower }: MoneyProblemProps) {
  const deficit = quote ? quote.ceiling - available : 0n;
  if (isFrozen) {
    return (
      <p className="px-2 pt-1 pb-2 text-sm text-red">
        This account is frozen, or your wallet is leaving it. You can see everything, but not run prompts. Contact support.
      </p>
    );
  }
  return quote && deficit > 0n ? (
    <ShortOfMoney deficit={deficit} affordableMaxTokens={quote.affordableMaxTokens} onLower={onLower} />
  ) : null;
}

interface BalanceStepsProps extends Pick<MoneyProblemProps, "onLower">, Pick<RunQuote, "affordableMaxTokens"> {}

/** The remedies where the balance is too low. */
export const BalanceSteps = ({ affordableMaxTokens, onLower }: BalanceStepsProps) => (
  <>
    {affordableMaxTokens > 0 ? (
      <Button size="small" onClick={() => onLower(affordableMaxTokens)}>
        Lower max tokens to {countText(affordableMaxTokens)}
      </Button>
    ) : null}
    <Button size="small" asChild>
      <Link href="/deposit">Deposit</Link>
    </Button>
  </>
);

interface ShortOfMoneyProps extends BalanceStepsProps {
  /** Nano-USD. */
  deficit: bigint;
}

const ShortOfMoney = ({ deficit, affordableMaxTokens, onLower }: ShortOfMoneyProps) => (
  <div className="grid justify-items-start gap-2 px-2 pt-1 pb-2">
    <p role="status" className="text-sm text-red">
      You need <Amount nano={deficit} /> more to run this.
    </p>
    <div className="flex flex-wrap gap-2">
      <BalanceSteps affordableMaxTokens={affordableMaxTokens} onLower={onLower} />
    </div>
  </div>
);
