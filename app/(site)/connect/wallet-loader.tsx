"use client";

import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import type { ConnectWallet } from "./connect-wallet";

const Loaded = dynamic(() => import("./connect-wallet").then((module) => module.ConnectWallet), {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Looking for wallets in this browser" className="grid gap-3">
      <Skeleton className="h-[74px] rounded" />
      <Skeleton className="h-[74px] rounded" />
    </div>
  ),
});

/** Wallet code is large and knows only browsers: it comes after the page. */
export const WalletLoader = (props: ComponentProps<typeof ConnectWallet>) => <Loaded {...props} />;
