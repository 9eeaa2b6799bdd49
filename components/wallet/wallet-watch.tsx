"use client";

import { getWallets } from "@wallet-standard/app";
import type { StandardConnectFeature, StandardEventsFeature } from "@wallet-standard/features";
import { useEffect, useRef } from "react";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { type EvmProvider, watchProviders } from "./announced-providers";
import { isLinking } from "./linking";
import { recallWallet } from "./wallet-memory";
import { isSameWallet } from "./wallet-types";

interface WalletWatchProps {
  /** The account's wallets, when the page was rendered. */
  linked: readonly NamedWallet[];
  /** The person switched to an account that is none of these. */
  onSwitched: (wallet: NamedWallet) => Promise<void>;
}

/** Reports when the last used wallet shows an account that is not linked: the page then belongs to another person. */
export function WalletWatch({ linked, onSwitched }: WalletWatchProps) {
  // The page re-renders often; the wallet is subscribed to only once.
  const props = useRef({ linked, onSwitched });
  useEffect(() => {
    props.current = { linked, onSwitched };
  }, [linked, onSwitched]);
  useEffect(() => {
    const used = recallWallet();
    if (!used) return;
    let reported: string | undefined;
    const compare = (address: string | undefined) => {
      // No account means a locked wallet; and while another wallet is being linked, switching is intended.
      if (address === undefined || address === reported || isLinking()) return;
      const wallet = { chain: used.chain, address };
      if (props.current.linked.some((one) => isSameWallet(one, wallet))) return;
      reported = address;
      void props.current.onSwitched(wallet);
    };
    return used.chain === "evm" ? watchEvm(used.id, compare) : watchSolana(used.id, compare);
  }, []);
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
    // Prompts the person for nothing: it returns only accounts that this page may already see.
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
    // Prompts the person for nothing; wallets report changes only to pages that they are connected with.
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
