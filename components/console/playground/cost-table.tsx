import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { type CostLine, chargeOf, costLines } from "./cost-lines";
import { estimateRun } from "./estimate";
import type { Run } from "./run";

interface CostTableProps {
  run: Run;
  /** What the account can spend, nano-USD; null while it is not known. */
  availableNow: bigint | null;
}

/** What a run cost, part by part, and what is available now. */
export function CostTable({ run, availableNow }: CostTableProps) {
  const lines = costLines(run);
  const total = chargeOf(run) ?? 0n;
  const places = placesOf([...lines.map(({ cost }) => cost), total]);
  return (
    <>
      <table className="mt-4 w-full text-sm">
        <caption className="sr-only">How the cost adds up</caption>
        <tbody>
          {lines.map((line) => (
            <tr key={line.side} className="border-t border-line">
              <th scope="row" className="py-1.5 pr-3 text-left font-normal text-muted">
                {lineNames[line.side](line)}
              </th>
              <td className="py-1.5 text-right font-mono">
                <Amount nano={line.cost} places={places} />
              </td>
            </tr>
          ))}
          <tr className="border-y border-line font-medium">
            <th scope="row" className="py-1.5 pr-3 text-left">
              Charged
            </th>
            <td className="py-1.5 text-right font-mono">
              <Amount nano={total} places={places} />
            </td>
          </tr>
        </tbody>
      </table>
      <p className="mt-2 text-xs text-muted">
        <Overrun run={run} total={total} isWaived={lines.some(({ side }) => side === "waived")} />{" "}
        {availableNow === null ? null : (
          <>
            Available now: <Amount nano={availableNow} />.
          </>
        )}
      </p>
    </>
  );
}

const lineNames: Record<CostLine["side"], (line: CostLine) => string> = {
  input: ({ tokens }) => `Input, ${countText(tokens)} tokens`,
  output: ({ tokens }) => `Output, ${countText(tokens)} tokens`,
  waived: () => "Above the maximum, not charged",
};

/** Says when a run cost more than was expected. */
function Overrun({ run, total, isWaived }: { run: Run; total: bigint; isWaived: boolean }) {
  const estimate = estimateRun(run);
  if (isWaived) return "This run went over its maximum cost. You pay the maximum; we cover the rest.";
  if (estimate === null || total <= estimate) return null;
  return (
    <>
      More than the estimate of <Amount nano={estimate} />: the model counted more tokens.
    </>
  );
}
