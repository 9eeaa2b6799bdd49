import Link from "next/link";
import { Amount, placesOf } from "@/components/ui/text/amount";
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
  /** A run is under way, which changes what is available. */
  isChanging: boolean;
  isFrozen: boolean;
  onLower: (tokens: number) => void;
}

/** The maximum that a run reserves, beside the available balance. */
export function HoldLine({ quote, isPending, available, isChanging, isFrozen, onLower }: HoldLineProps) {
  const places = placesOf(quote ? [quote.ceiling, available] : [available]);
  const deficit = quote ? quote.ceiling - available : 0n;
  return (
    <div className="mt-4 border-y border-line py-3 text-sm">
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        <dt className="text-muted">Available</dt>
        <dd className={`text-right font-mono ${isChanging ? "text-faint" : ""}`}>
          <Amount nano={available} places={places} />
        </dd>
        <dt className="text-muted">Maximum cost, reserved while it runs</dt>
        <dd className={`text-right font-mono ${isPending ? "text-faint" : deficit > 0n ? "text-red" : ""}`}>
          {quote ? <Amount nano={quote.ceiling} places={places} /> : <span className="text-faint">–</span>}
        </dd>
      </dl>
      {isFrozen ? (
        <p className="mt-3 text-red">
          This account is frozen, or your wallet is leaving it. You can see everything, but not run prompts. Contact support.
        </p>
      ) : null}
      {quote && deficit > 0n && !isFrozen ? (
        <ShortOfMoney deficit={deficit} affordableMaxTokens={quote.affordableMaxTokens} onLower={onLower} />
      ) : null}
    </div>
  );
}

interface ShortOfMoneyProps extends Pick<HoldLineProps, "onLower">, Pick<RunQuote, "affordableMaxTokens"> {
  /** Nano-USD. */
  deficit: bigint;
}

const ShortOfMoney = ({ deficit, affordableMaxTokens, onLower }: ShortOfMoneyProps) => (
  <div className="mt-3 grid justify-items-start gap-3">
    <p role="status" className="text-red">
      You need <Amount nano={deficit} /> more to run this.
    </p>
    <div className="flex flex-wrap gap-2">
      {affordableMaxTokens > 0 ? (
        <Button size="small" onClick={() => onLower(affordableMaxTokens)}>
          Lower max tokens to {countText(affordableMaxTokens)}
        </Button>
      ) : null}
      <Button size="small" asChild>
        <Link href="/deposit">Deposit</Link>
      </Button>
    </div>
  </div>
);
