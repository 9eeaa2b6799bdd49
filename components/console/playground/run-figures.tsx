import Link from "next/link";
import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { ShortAddress } from "@/components/ui/text/short-address";
import type { ModelPrice } from "@/lib/console/views/models";
import { estimateCost, estimateOutputTokens } from "./estimate";
import { PaymentFigures } from "./payment-figures";
import { isRunning, type Run, type RunReceipt } from "./run";

interface RunFiguresProps {
  run: Run;
  model: ModelPrice | undefined;
}

/** Tokens, cost and time of a run: marked as estimates until the provider's own count arrives. */
export function RunFigures({ run, model }: RunFiguresProps) {
  const { receipt, text } = run;
  if (!receipt && text === "" && !isRunning(run)) return <RequestLine run={run} />;
  const outputTokens = receipt?.outputTokens ?? estimateOutputTokens(text);
  const charged = receipt ? receipt.inputCost + receipt.outputCost : (run.problem?.cost ?? null);
  return (
    <>
      <dl className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 text-sm sm:grid-cols-4">
        <Figure name="Tokens in">{receipt ? countText(receipt.inputTokens) : "–"}</Figure>
        <Figure name="Tokens out">
          {receipt || outputTokens === 0 ? null : <About />}
          {receipt || outputTokens > 0 ? countText(outputTokens) : "–"}
        </Figure>
        <Figure name={charged === null ? "Cost so far" : "Cost"}>
          {charged !== null ? (
            <span className="text-copper-ink">
              <Amount nano={charged} />
            </span>
          ) : model && text !== "" ? (
            <>
              <About />
              <Amount nano={estimateCost(model, run.fields, text)} />
            </>
          ) : (
            "–"
          )}
        </Figure>
        <Figure name={run.totalMs === null ? "First token" : "First token / all"}>
          {run.firstTokenMs === null ? "–" : seconds(run.firstTokenMs)}
          {run.totalMs === null || run.firstTokenMs === null ? null : ` / ${seconds(run.totalMs)}`}
        </Figure>
      </dl>
      {receipt ? <CostParts run={run} receipt={receipt} /> : null}
      {run.payment && run.fields.payment ? <PaymentFigures payment={run.payment} cents={run.fields.payment.amount} /> : null}
      <RequestLine run={run} />
    </>
  );
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

const About = () => (
  <abbr title="estimated" className="mr-1 text-muted no-underline">
    ≈
  </abbr>
);

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="mt-0.5 font-mono whitespace-nowrap">{children}</dd>
  </div>
);

function CostParts({ run, receipt: { inputCost, outputCost } }: { run: Run; receipt: RunReceipt }) {
  const { availableBefore, availableAfter } = run;
  return (
    <p className="mt-3 text-xs text-muted">
      <Amount nano={inputCost} /> for what went in, <Amount nano={outputCost} /> for what came out.
      {availableAfter === null ? null : (
        <>
          {" "}
          Available before: <Amount nano={availableBefore} />, now: <Amount nano={availableAfter} />.
        </>
      )}
    </p>
  );
}

/** A link to the run's record, and what is still open about it. */
function RequestLine({ run }: { run: Run }) {
  return (
    <>
      {run.state === "stopped" && !run.receipt ? (
        <p className="mt-2 text-xs text-muted">
          What had been delivered is charged, and what went in once the provider had taken it. The exact cost appears in{" "}
          <Link href="/usage" className="underline underline-offset-2">
            Usage
          </Link>
          .
        </p>
      ) : null}
      {run.requestId ? (
        <p className="mt-3 flex items-center gap-2 text-xs text-muted">
          Request <ShortAddress value={run.requestId} what="request id" />
        </p>
      ) : null}
    </>
  );
}
