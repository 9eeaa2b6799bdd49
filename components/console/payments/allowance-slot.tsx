"use client";

import dynamic from "next/dynamic";
import { WalletFormLoading } from "../../wallet/wallet-loading";
import type { WalletAllowanceProps } from "./allowance-steps";

const WalletAllowance = dynamic(() => import("./allowance-steps").then((module) => module.WalletAllowance), {
  ssr: false,
  loading: WalletFormLoading,
});

/** The place of a wallet's allowance; as high as its first step, so that nothing below it shifts. */
export const AllowanceSlot = (props: WalletAllowanceProps) => (
  <div className="min-h-24">
    <WalletAllowance {...props} />
  </div>
);
