"use client";

import { getWallets } from "@wallet-standard/app";
import type { StandardConnectFeature, StandardEventsFeature } from "@wallet-standard/features";
import { useEffect } from "react";
import { type EvmProvider, watchProviders } from "./announced-providers";
import { isLinking } from "./linking";
import { recallWallet } from "./wallet-memory";
import { isSameWallet } from "./wallet-types";

interface WalletWatchProps {
  /** The wallet that signed in. */
  chain: "evm" | "solana";
  address: string;
  /** The person chose another account in that wallet. */
  onSwitched: () => Promise<void>;
}

/** Signs out when the wallet that signed in shows another account: what one sees then belongs to somebody else. */
export function WalletWatch({ chain, address, onSwitched }: WalletWatchProps) {
  useEffect(() => {
    const used = recallWallet();
    if (used?.chain !== chain) return;
    let told = false;
    const compare = (current: string | undefined) => {
      // No account at all is a wallet that was locked; and while another wallet is being linked, switching is asked for.
      if (current === undefined || told || isLinking() || isSameWallet({ chain, address: current }, { chain, address })) return;
      told = true;
      void onSwitched();
    };
    return chain === "evm" ? watchEvm(used.id, compare) : watchSolana(used.id, compare);
  }, [chain, address, onSwitched]);
  return null;
}

type Compare = (current: string | undefined) => void;

const firstOf = (accounts: unknown): string | undefined =>
  Array.isArray(accounts) && typeof accounts[0] === "string" ? accounts[0] : undefined;

function watchEvm(rdns: string, compare: Compare): () => void {
  const watched = new Set<EvmProvider>();
  const changed = (accounts: never) => compare(firstOf(accounts));
  const stop = watchProviders(({ info, provider }) => {
    if (info.rdns !== rdns || watched.has(provider)) return;
    watched.add(provider);
    provider.on?.("accountsChanged", changed);
    // Asks for nothing: only what this page may see already.
    provider.request({ method: "eth_accounts" }).then(
      (accounts) => compare(firstOf(accounts)),
      () => undefined, // a wallet that does not answer shows no other account
    );
  });
  return () => {
    stop();
    for (const provider of watched) provider.removeListener?.("accountsChanged", changed);
  };
}

function watchSolana(name: string, compare: Compare): () => void {
  const { get, on } = getWallets();
  const stops: (() => void)[] = [];
  const watched = new Set<string>();
  const look = () => {
    const wallet = get().find((one) => one.name === name);
    if (!wallet || watched.has(name)) return;
    watched.add(name);
    const features = wallet.features as Partial<StandardEventsFeature & StandardConnectFeature>;
    stops.push(features["standard:events"]?.on("change", ({ accounts }) => compare(accounts?.[0]?.address)) ?? (() => undefined));
    // Asks for nothing; wallets tell of a change only to pages that they are connected with.
    features["standard:connect"]?.connect({ silent: true }).then(
      ({ accounts }) => compare(accounts[0]?.address),
      () => undefined, // a wallet that does not answer shows no other account
    );
  };
  look();
  stops.push(on("register", look));
  return () => {
    for (const stop of stops) stop();
  };
}
