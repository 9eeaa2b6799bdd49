import { formatUsd } from "@/lib/base/money";
import { Amount } from "../ui/amount";
import { CopyButton } from "../ui/copy-button";
import type { PricedModel } from "./model-row";

const tokens = (count: number): string => count.toLocaleString("en-US");

interface ModelLineProps {
  model: PricedModel;
  /** Decimal places of each column of amounts. */
  places: { input: number; output: number; cost: number };
}

/** One model: a row of six columns on a desk, two lines on a phone. */
export function ModelLine({ model, places }: ModelLineProps) {
  return (
    <tr className="border-b border-line align-top transition hover:bg-panel">
      <th scope="row" className="max-w-0 py-3 pr-4 text-left font-normal max-md:w-full md:w-[44%]">
        <span className="-my-1 flex items-center gap-0.5">
          <span className="truncate font-mono font-medium">{model.id}</span>
          <CopyButton quiet text={model.id} label={`Copy ${model.id}`} />
        </span>
        <span className="block text-muted max-md:hidden">{model.description}</span>
        <span className="block truncate text-xs text-muted md:hidden">
          {model.provider} · {tokens(model.contextWindow)}
        </span>
      </th>
      <td className="py-3 pr-4 max-md:hidden">{model.provider}</td>
      <td className="py-3 pr-4 text-right font-mono max-md:hidden">{tokens(model.contextWindow)}</td>
      <td className="py-3 pr-4 text-right font-mono max-md:hidden">
        <Amount nano={model.input} places={places.input} />
      </td>
      <td className="py-3 pr-4 text-right font-mono max-md:hidden">
        <Amount nano={model.output} places={places.output} />
      </td>
      <td className="py-3 text-right font-mono">
        {model.cost === null ? (
          <span className="font-sans text-faint">does not fit</span>
        ) : (
          <Amount nano={model.cost} places={places.cost} />
        )}
        <span className="mt-1 block text-xs whitespace-nowrap text-muted md:hidden">
          {formatUsd(model.input)} / {formatUsd(model.output)}
        </span>
      </td>
    </tr>
  );
}
