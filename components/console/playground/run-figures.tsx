import Link from "next/link";
import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { ShortAddress } from "@/components/ui/text/short-address";
import { FoldSummary } from "../../ui/fold-summary";
import { chargeOf } from "./cost-lines";
import { CostTable } from "./cost-table";
import { estimateOutputTokens, estimateRun } from "./estimate";
import { centsToNano } from "./pay/pay-types";
import { isAbandoned, isRunning, type Run, type RunPayment } from "./run";

interface RunFiguresProps {
  run: Run;
  /** The balance that can be spent, nano-USD; null while it is not known. */
  availableNow: bigint | null;
  /** Only the charge is shown until it is opened. */
  isFolded?: boolean;
}

interface PaymentFiguresProps {
  payment: RunPayment;
  /** The signed amount, in USDC cents. */
  cents: number;
}

/** Tokens, cost and time of a run: marked as estimates until the provider's own count arrives. */
export function RunFigures({ run, availableNow, isFolded = false }: RunFiguresProps) {
  const { receipt, text } = run;
  const charged = chargeOf(run);
  if (!receipt && text === "" && !isRunning(run) && !run.isFinishing) return <RequestLine run={run} />;
  if (isFolded && charged !== null) {
    return (
      <details className="mt-3 text-sm">
        <FoldSummary className="min-h-8 w-fit text-xs text-muted">
          Charged{" "}
          <span className="ml-1 font-mono text-ink">
            <Amount nano={charged} />
          </span>
        </FoldSummary>
        <RunFigures run={run} availableNow={null} />
      </details>
    );
  }
  const outputTokens = receipt?.outputTokens ?? estimateOutputTokens(text + run.reasoning);
  return (
    <>
      <dl className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 text-sm sm:grid-cols-4">
        <Figure name="Tokens in">{receipt ? countText(receipt.inputTokens) : "–"}</Figure>
        <Figure name="Tokens out">
          {receipt || outputTokens === 0 ? null : <About />}
          {receipt || outputTokens > 0 ? countText(outputTokens) : "–"}
        </Figure>
        <Cost run={run} />
        <Figure name={run.totalMs === null ? "First token" : "First token / total"}>
          {run.firstTokenMs === null ? "–" : seconds(run.firstTokenMs)}
          {run.totalMs === null || run.firstTokenMs === null ? null : ` / ${seconds(run.totalMs)}`}
        </Figure>
      </dl>
      {receipt ? <CostTable run={run} availableNow={availableNow} /> : null}
      {run.payment && run.fields.payment ? <PaymentFigures payment={run.payment} cents={run.fields.payment.amount} /> : null}
      <RequestLine run={run} />
    </>
  );
}

/**
 * The charge, or until it is known an estimate of at most the maximum. A run that goes on without this page is not estimated: its answer
 * may become many times as long as the part that is seen.
 */
function Cost({ run }: { run: Run }) {
  const charged = chargeOf(run);
  const estimate = estimateRun(run);
  if (charged !== null) {
    return (
      <Figure name="Cost">
        <span className="text-copper-ink">
          <Amount nano={charged} />
        </span>
      </Figure>
    );
  }
  if (isAbandoned(run) && run.whenLeft !== "cut") {
    return (
      <Figure name="Cost">
        {run.isFinishing ? <span className="font-sans whitespace-normal text-muted">finishing at the provider</span> : "–"}
      </Figure>
    );
  }
  return (
    <Figure name={estimate !== null && estimate === run.ceiling ? "Cost so far, at its maximum" : "Cost so far"}>
      {estimate === null ? (
        "–"
      ) : (
        <>
          <About />
          <Amount nano={estimate} />
        </>
      )}
    </Figure>
  );
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

const About = () => (
  <abbr title="estimated" className="mr-1 text-muted no-underline">
    ≈
  </abbr>
);

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="mt-0.5 font-mono whitespace-nowrap">{children}</dd>
  </div>
);

/** A link to the run's record, and a note while its cost is not known. */
function RequestLine({ run }: { run: Run }) {
  return (
    <>
      {isAbandoned(run) ? (
        <p className="mt-2 text-xs text-muted">
          {run.isFinishing ? "The exact cost appears here when it is known, and in " : "See the exact cost in "}
          <Link href={run.requestId ? `/usage?request=${run.requestId}` : "/usage"} className="underline underline-offset-2">
            Usage
          </Link>
          .
        </p>
      ) : null}
      {run.requestId ? (
        <p className="mt-3 flex flex-wrap items-center gap-x-2 text-xs text-muted">
          Request <ShortAddress value={run.requestId} what="request id" />
          {chargeOf(run) === null ? null : (
            <Link href={`/usage?request=${run.requestId}`} className="underline underline-offset-2 hover:text-ink">
              Receipt
            </Link>
          )}
        </p>
      ) : null}
    </>
  );
}

/** The payment of a wallet for a run, and where the change went. */
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
