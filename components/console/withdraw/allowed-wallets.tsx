import { useId } from "react";
import type { OwnWallet } from "@/lib/console/views/settings";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { Badge } from "../../ui/badge";
import { CopyButton } from "../../ui/copy-button";
import { shortAddress } from "../../ui/text/short-address";
import { EvmMark, SolanaMark } from "../../wallet/chain-marks";
import { isSameWallet } from "../../wallet/wallet-types";

interface AllowedWalletsProps {
  /** The account's wallets. */
  wallets: readonly OwnWallet[];
  /** The list in force: some of these wallets may be linked no more. */
  stored: readonly NamedWallet[];
  chosen: readonly NamedWallet[];
  onChange: (chosen: NamedWallet[]) => void;
  error: string | null;
  disabled: boolean;
}

/** The wallets that may be paid: none chosen means every linked one. A wallet that leaves or has left is shown only to be taken out. */
export function AllowedWallets({ wallets, stored, chosen, onChange, error, disabled }: AllowedWalletsProps) {
  const id = useId();
  const staying = wallets.filter(({ leavesAt }) => leavesAt === null);
  const isAmong = (list: readonly NamedWallet[], wallet: NamedWallet) => list.some((one) => isSameWallet(one, wallet));
  const gone = stored.filter((wallet) => !isAmong(staying, wallet));
  return (
    <fieldset
      data-wrong={error ? true : undefined}
      className="grid gap-2"
      aria-describedby={error ? `${id}-note ${id}-error` : `${id}-note`}
    >
      <legend className="mb-1.5 text-sm font-medium">Allowed wallets</legend>
      {[...staying, ...gone].map(({ chain, address }) => {
        const wallet = { chain, address };
        const rest = chosen.filter((one) => !isSameWallet(one, wallet));
        const isChosen = rest.length < chosen.length;
        return (
          <WalletBox
            key={`${chain} ${address}`}
            wallet={wallet}
            isChosen={isChosen}
            disabled={disabled}
            state={!isAmong(gone, wallet) ? null : isAmong(wallets, wallet) ? "being unlinked" : "no longer linked"}
            onChange={() => onChange(isChosen ? rest : [...rest, wallet])}
          />
        );
      })}
      <p id={`${id}-note`} className="text-xs text-muted">
        {chosen.length === 0
          ? "None selected: withdrawals can go to any linked wallet."
          : chosen.some((wallet) => isAmong(staying, wallet))
            ? "Withdrawals can go to the selected wallets only."
            : "None of the selected wallets can receive withdrawals, so nothing can be withdrawn. Select another wallet, or none to allow any linked wallet."}
      </p>
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-xs text-red">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

interface WalletBoxProps {
  wallet: NamedWallet;
  isChosen: boolean;
  /** Why it cannot be paid; null: it can. */
  state: string | null;
  onChange: () => void;
  disabled: boolean;
}

const WalletBox = ({ wallet: { chain, address }, isChosen, state, onChange, disabled }: WalletBoxProps) => (
  <div className="flex items-center gap-0.5 text-sm">
    <label className="flex items-center gap-3">
      <input type="checkbox" className="accent-copper" checked={isChosen} disabled={disabled} onChange={onChange} />
      {chain === "evm" ? <EvmMark /> : <SolanaMark />}
      <span>{chain === "evm" ? "Ethereum" : "Solana"}</span>
      <span className="font-mono" title={address}>
        {shortAddress(address)}
      </span>
      {state ? <Badge tone="waiting">{state}</Badge> : null}
    </label>
    <CopyButton quiet text={address} label="Copy the address" />
  </div>
);
