import { Amount, placesOf } from "@/components/ui/text/amount";
import { Panel } from "../panel";
import { chargeOf } from "./cost-lines";
import type { Run } from "./run";
import { stateNames } from "./run-state";

interface PastRunsProps {
  /** Newest first. */
  runs: readonly Run[];
  /** Id of the shown run. */
  shown: number;
  onShow: (id: number) => void;
}

/** The recent runs, to show again. */
export function PastRuns({ runs, shown, onShow }: PastRunsProps) {
  const places = placesOf(runs.map((run) => chargeOf(run) ?? 0n));
  return (
    <Panel title="Recent runs" aside="Kept in this browser until you sign out">
      <ol className="border-t border-line text-sm">
        {runs.map((run) => {
          const cost = chargeOf(run);
          return (
            <li key={run.id} className="border-b border-line">
              <button
                type="button"
                aria-pressed={run.id === shown}
                onClick={() => onShow(run.id)}
                className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 rounded-sm py-2 text-left transition hover:bg-panel aria-pressed:bg-panel sm:grid-cols-[minmax(0,1fr)_auto_auto]"
              >
                <span className="truncate">{run.fields.prompt}</span>
                <span className="truncate font-mono text-xs text-muted max-sm:col-start-1 max-sm:row-start-2">{run.fields.model}</span>
                <span className="text-right font-mono max-sm:row-span-2">
                  {cost === null ? (
                    <span className="font-sans text-muted">{stateNames[run.state]}</span>
                  ) : (
                    <Amount nano={cost} places={places} />
                  )}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
