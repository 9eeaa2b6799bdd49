"use client";

import dynamic from "next/dynamic";
import { Skeleton } from "../../ui/skeleton";
import type { WalletAllowanceProps } from "./wallet-allowance";

const Loaded = dynamic(() => import("./wallet-allowance").then((module) => module.WalletAllowance), {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Looking for wallets in this browser" className="grid gap-4">
      <Skeleton className="h-10 rounded" />
      <Skeleton className="h-10 w-36 rounded" />
    </div>
  ),
});

/** Where a wallet's allowance is shown and changed; as high as its first step, so that nothing below it jumps. */
export const AllowanceSlot = (props: WalletAllowanceProps) => (
  <div className="min-h-24">
    <Loaded {...props} />
  </div>
);
