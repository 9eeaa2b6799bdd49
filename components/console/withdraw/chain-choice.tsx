import type { Chain } from "@/lib/console/views/chain";
import { chainNames } from "../../ui/chain-names";

const chains: readonly Chain[] = ["base", "solana"];

/** On which chain it arrives. */
export const ChainChoice = ({ value, onChange }: { value: Chain; onChange: (chain: Chain) => void }) => (
  <fieldset>
    <legend className="mb-1.5 text-sm font-medium">On</legend>
    <div className="grid grid-cols-2 gap-3">
      {chains.map((chain) => (
        <label
          key={chain}
          className="flex h-10 cursor-pointer items-center gap-3 rounded border border-edge px-3 text-sm transition hover:bg-panel has-checked:border-copper has-checked:bg-copper-wash"
        >
          <input type="radio" name="chain" className="accent-copper" checked={chain === value} onChange={() => onChange(chain)} />
          {chainNames[chain]}
        </label>
      ))}
    </div>
  </fieldset>
);
