"use client";

import { WalletReadyState } from "@solana/wallet-adapter-base";
import { useWallet } from "@solana/wallet-adapter-react";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { Dialog } from "../ui/dialog";

const OpenSolanaList = createContext<() => void>(() => undefined);

/** Opens the list of Solana wallets; choosing one selects it. */
export const useOpenSolanaList = (): (() => void) => useContext(OpenSolanaList);

/** The Solana wallets of this browser, in a dialog that every descendant can open. */
export function SolanaList({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const { wallets, select } = useWallet();
  const present = wallets.filter(({ readyState }) => readyState === WalletReadyState.Installed);
  const show = useCallback(() => setOpen(true), []);
  return (
    <OpenSolanaList value={show}>
      {children}
      <Dialog open={open} onOpenChange={setOpen} title="Solana wallets">
        {present.length > 0 ? (
          <ul className="grid gap-1">
            {present.map(({ adapter: { name, icon } }) => (
              <li key={name}>
                <button
                  type="button"
                  onClick={() => {
                    select(name);
                    setOpen(false);
                  }}
                  className="flex h-12 w-full items-center gap-3 rounded px-3 text-left text-sm font-medium transition hover:bg-panel"
                >
                  {/* biome-ignore lint/performance/noImgElement: the wallet provides its icon as a data: URL */}
                  <img src={icon} alt="" className="size-7 rounded-sm" />
                  {name}
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <p className="text-sm text-muted">
            This browser has no Solana wallet. Install one, such as Phantom, Solflare or Backpack, and load this page again.
          </p>
        )}
      </Dialog>
    </OpenSolanaList>
  );
}
