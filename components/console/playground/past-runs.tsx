import { Amount, placesOf } from "@/components/ui/text/amount";
import { Panel } from "../panel";
import type { Run } from "./run";

interface PastRunsProps {
  /** Newest first. */
  runs: readonly Run[];
  /** Number of the shown run. */
  shown: number;
  onShow: (number: number) => void;
}

const costOf = ({ receipt, problem }: Run): bigint | null => (receipt ? receipt.inputCost + receipt.outputCost : (problem?.cost ?? null));

/** The runs of this visit, to show again. */
export function PastRuns({ runs, shown, onShow }: PastRunsProps) {
  const places = placesOf(runs.map((run) => costOf(run) ?? 0n));
  return (
    <Panel title="This visit" aside="Kept until you leave this page">
      <ol className="border-t border-line text-sm">
        {runs.map((run) => {
          const cost = costOf(run);
          return (
            <li key={run.number} className="border-b border-line">
              <button
                type="button"
                aria-pressed={run.number === shown}
                onClick={() => onShow(run.number)}
                className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 rounded-sm py-2 text-left transition hover:bg-panel aria-pressed:bg-panel sm:grid-cols-[minmax(0,1fr)_auto_auto]"
              >
                <span className="truncate">{run.fields.prompt}</span>
                <span className="truncate font-mono text-xs text-muted max-sm:col-start-1 max-sm:row-start-2">{run.fields.model}</span>
                <span className="text-right font-mono max-sm:row-span-2">
                  {cost === null ? <span className="font-sans text-muted">{run.state}</span> : <Amount nano={cost} places={places} />}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
