// The parts of linking a wallet: where it stands, the choice of the wallet, and the effect of the approval.

import { shortAddress } from "@/components/ui/text/short-address";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { Field, Select } from "../ui/field";
import { Problem } from "../ui/problem";
import { WalletChoices } from "./connect-steps";
import type { WalletHandle } from "./wallet-handle";

export function Progress({ step, text, problem }: { step: 1 | 2; text: string; problem: string | null }) {
  return (
    <div>
      <p className="text-xs text-muted">Step {step} of 2</p>
      <p className="font-medium">{text}</p>
      {problem ? <Problem className="mt-2">{problem}</Problem> : null}
    </div>
  );
}

/** The effect of the approval, for the person who gives it. */
export function Consequence({ joining, absorbs }: { joining: NamedWallet; absorbs: string | null }) {
  const wallet = <span className="font-mono">{shortAddress(joining.address)}</span>;
  if (absorbs === null) return <p className="text-sm">{wallet} can then sign in to this account and use its money.</p>;
  return (
    <div className="grid gap-2 text-sm">
      <p>
        {wallet} already has its own account, <span className="font-mono break-all">{absorbs}</span>, which is unused. If you approve, it is
        merged into this one:
      </p>
      <ul className="grid list-disc gap-1 pl-5 text-muted">
        <li>The wallet signs in to this account and can use its money.</li>
        <li>The unused account closes, and its sessions end.</li>
        <li>USDC sent to its deposit addresses later is credited to this account.</li>
      </ul>
    </div>
  );
}

export function ChooseNew({ handles }: { handles: Record<NamedWallet["chain"], WalletHandle> }) {
  const { evm, solana } = handles;
  return (
    <>
      <p className="text-sm text-muted">
        Choose the wallet to add.
        {evm.wallet || solana.wallet ? " The connected wallet is already linked. Choose another one, or switch accounts in it." : ""}
      </p>
      <WalletChoices evm={evm} solana={solana} />
    </>
  );
}

interface AllowedByProps {
  linked: readonly NamedWallet[];
  value: NamedWallet;
  onChange: (wallet: NamedWallet) => void;
}

/** The linked wallet that approves; no question when there is only one. */
export function AllowedBy({ linked, value, onChange }: AllowedByProps) {
  if (linked.length < 2) return null;
  return (
    <Field label="Approve with">
      {(control) => (
        <Select
          {...control}
          value={value.address}
          onChange={({ target }) => {
            const chosen = linked.find(({ address }) => address === target.value);
            if (chosen) onChange(chosen);
          }}
        >
          {linked.map(({ address }) => (
            <option key={address} value={address}>
              {shortAddress(address)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
