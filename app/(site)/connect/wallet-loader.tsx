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

/** Wallet code is large and runs only in browsers: it loads after the page. */
export function WalletLoader(props: ComponentProps<typeof ConnectWallet>) {
  // This page is shown only when signed out, after "Sign out" or the end of a session: the other tabs must learn of it.
  useEffect(notifySessionChanged, []);
  return <Loaded {...props} />;
}
