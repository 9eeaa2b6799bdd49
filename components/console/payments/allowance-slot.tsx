"use client";

import dynamic from "next/dynamic";
import { WalletFormLoading } from "../../wallet/wallet-loading";
import type { WalletAllowanceProps } from "./allowance-steps";

const WalletAllowance = dynamic(() => import("./allowance-steps").then((module) => module.WalletAllowance), {
  ssr: false,
  loading: WalletFormLoading,
});

/** Where a wallet's allowance is shown and changed; as high as its first step, so that nothing below it jumps. */
export const AllowanceSlot = (props: WalletAllowanceProps) => (
  <div className="min-h-24">
    <WalletAllowance {...props} />
  </div>
);
