"use client";

import dynamic from "next/dynamic";
import { type ComponentProps, useEffect } from "react";
import { notifySessionChanged } from "@/components/wallet/session-news";
import { WalletChoicesLoading } from "@/components/wallet/wallet-loading";
import type { ConnectWallet } from "./connect-wallet";

const Loaded = dynamic(() => import("./connect-wallet").then((module) => module.ConnectWallet), {
  ssr: false,
  loading: WalletChoicesLoading,
});

/** Wallet code is large and knows only browsers: it comes after the page. */
export function WalletLoader(props: ComponentProps<typeof ConnectWallet>) {
  // Only whoever is signed out comes here, from "Sign out" or a session that has ended: the other tabs have to know.
  useEffect(notifySessionChanged, []);
  return <Loaded {...props} />;
}
