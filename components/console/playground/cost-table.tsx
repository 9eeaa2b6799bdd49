import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { kindTitle } from "@/lib/base/tokens/token-kinds";
import { type CostLine, chargeOf, costLines } from "./cost-lines";
import { estimateRun } from "./estimate";
import { isLeft, type Run } from "./run";

interface CostTableProps {
  run: Run;
  /** The balance that can be spent, nano-USD; null while it is not known. */
  availableNow: bigint | null;
}

/** The cost of a run, part by part, and the balance available now. */
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
            <tr key={line.kind} className="border-t border-line">
              <th scope="row" className="py-1.5 pr-3 text-left font-normal text-muted">
                {nameOf(line)}
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
        <Overrun run={run} total={total} />{" "}
        {availableNow === null ? null : (
          <>
            Available now: <Amount nano={availableNow} />.
          </>
        )}
      </p>
    </>
  );
}

const nameOf = ({ kind, tokens }: CostLine): string =>
  kind === "borne" ? "Above the maximum, not charged" : `${kindTitle(kind)}, ${countText(tokens)} tokens`;

/** Says that a run cost more than was expected. A stopped run has the stop note instead. */
function Overrun({ run, total }: { run: Run; total: bigint }) {
  const estimate = estimateRun(run);
  if (run.receipt && run.receipt.borne > 0n) return "This run went over its maximum cost. You pay the maximum; we cover the rest.";
  if (isLeft(run) || estimate === null || total <= estimate) return null;
  return (
    <>
      More than the estimate of <Amount nano={estimate} />: the model counted more tokens.
    </>
  );
}
