import Link from "next/link";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { Button } from "../../ui/button";
import type { RunQuote } from "./run-request";

interface HoldLineProps {
  /** Null while the form is not ready to be priced. */
  quote: RunQuote | null;
  /** Nano-USD. */
  available: bigint;
  isFrozen: boolean;
  onLower: (tokens: number) => void;
}

/** The maximum that a run holds, beside the available balance. */
export function HoldLine({ quote, available, isFrozen, onLower }: HoldLineProps) {
  const places = placesOf(quote ? [quote.ceiling, available] : [available]);
  const isShort = quote !== null && quote.ceiling > available;
  return (
    <div className="mt-4 border-y border-line py-3 text-sm">
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        <dt className="text-muted">Available</dt>
        <dd className="text-right font-mono">
          <Amount nano={available} places={places} />
        </dd>
        <dt className="text-muted">Held while it runs, the most it can cost</dt>
        <dd className={`text-right font-mono ${isShort ? "text-red" : ""}`}>
          {quote ? <Amount nano={quote.ceiling} places={places} /> : <span className="text-faint">–</span>}
        </dd>
      </dl>
      {isFrozen ? (
        <p className="mt-3 text-red">This account is frozen: you can see everything and run nothing. Ask whoever runs this service.</p>
      ) : null}
      {isShort && !isFrozen ? <ShortOfMoney quote={quote} onLower={onLower} /> : null}
    </div>
  );
}

function ShortOfMoney({ quote, onLower }: { quote: RunQuote; onLower: (tokens: number) => void }) {
  return (
    <div className="mt-3 grid justify-items-start gap-3">
      <p role="status" className="text-red">
        <Amount nano={quote.ceiling - quote.available} /> more is needed for an answer this long.
      </p>
      <div className="flex flex-wrap gap-2">
        {quote.affordableMaxTokens > 0 ? (
          <Button size="small" onClick={() => onLower(quote.affordableMaxTokens)}>
            Lower to {countText(quote.affordableMaxTokens)} tokens
          </Button>
        ) : null}
        <Button size="small" asChild>
          <Link href="/deposit">Add funds</Link>
        </Button>
      </div>
    </div>
  );
}
