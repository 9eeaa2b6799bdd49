"use client";

import { WalletReadyState } from "@solana/wallet-adapter-base";
import { useWallet } from "@solana/wallet-adapter-react";
import { SmartphoneIcon } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { useConnectors } from "wagmi";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { Dialog } from "../ui/dialog";
import { findBadge } from "./demo/demo-wallet-badge";

type Chain = NamedWallet["chain"];
type Chosen = (id: string) => void;

/** The id of the entry that opens RainbowKit's list, with WalletConnect's code for a phone. */
export const PHONE = "phone";

const OpenWalletList = createContext<(chain: Chain, chosen: Chosen) => void>(() => undefined);

/** Opens the list of this kind; `chosen` gets the `uid` of an Ethereum wallet's connector, `PHONE`, or a Solana wallet's name. */
export const useOpenWalletList = () => useContext(OpenWalletList);

interface ListedWallet {
  id: string;
  name: string;
  icon?: string;
  note?: string;
}

const texts = {
  evm: { title: "Choose an Ethereum wallet", missing: "No Ethereum wallet in this browser. Install MetaMask, Rabby or Coinbase Wallet" },
  solana: { title: "Choose a Solana wallet", missing: "No Solana wallet in this browser. Install Phantom, Solflare or Backpack" },
} as const;

/** The wallets that wagmi and wallet-adapter find in this browser, in one dialog that every descendant can open. */
export function WalletLists({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [{ chain, chosen }, setList] = useState<{ chain: Chain; chosen: Chosen }>({ chain: "evm", chosen: () => undefined });
  const wallets = { evm: useEvmWallets(), solana: useSolanaWallets() }[chain];
  const show = useCallback((next: Chain, onChosen: Chosen) => {
    setList({ chain: next, chosen: onChosen });
    setOpen(true);
  }, []);
  const choose = (id: string) => {
    setOpen(false);
    chosen(id);
  };
  return (
    <OpenWalletList value={show}>
      {children}
      <Dialog open={open} onOpenChange={setOpen} title={texts[chain].title}>
        {wallets.length > 0 ? (
          <ul className="-mx-3 grid gap-1">
            {wallets.map((wallet) => (
              <li key={wallet.id}>
                <WalletButton wallet={wallet} onClick={() => choose(wallet.id)} />
              </li>
            ))}
          </ul>
        ) : (
          <p className="text-sm text-muted">{texts[chain].missing}, then reload this page.</p>
        )}
      </Dialog>
    </OpenWalletList>
  );
}

const WalletButton = ({ wallet: { name, icon, note }, onClick }: { wallet: ListedWallet; onClick: () => void }) => (
  <button
    type="button"
    onClick={onClick}
    className="flex min-h-12 w-full items-center gap-3 rounded px-3 py-2 text-left text-sm transition hover:bg-panel"
  >
    {icon ? (
      // biome-ignore lint/performance/noImgElement: the wallet provides its icon as a data: URL
      <img src={icon} alt="" className="size-8 shrink-0 rounded-sm" />
    ) : (
      <SmartphoneIcon aria-hidden="true" className="m-1.5 size-5 shrink-0 text-muted" />
    )}
    <span className="min-w-0">
      <span className="block font-medium">{name}</span>
      {note ? <span className="block text-muted">{note}</span> : null}
    </span>
  </button>
);

function useEvmWallets(): ListedWallet[] {
  const connectors = useConnectors();
  const inBrowser = connectors.filter(({ type }) => type === "injected");
  const listed = inBrowser.map(({ uid, name, icon }) => ({ id: uid, name, icon, note: findBadge(name)?.note }));
  if (inBrowser.length === connectors.length) return listed;
  return [...listed, { id: PHONE, name: "Phone wallet", note: "Scan a code with WalletConnect" }];
}

function useSolanaWallets(): ListedWallet[] {
  return useWallet()
    .wallets.filter(({ readyState }) => readyState === WalletReadyState.Installed)
    .map(({ adapter: { name, icon } }) => ({ id: name, name, icon, note: findBadge(name)?.note }));
}
