"use client";

import dynamic from "next/dynamic";
import { WalletFormLoading } from "../../wallet/wallet-loading";
import { WalletSection } from "../../wallet/wallet-section";
import type { WalletPaymentProps } from "./wallet-payment";

const WalletPayment = dynamic(() => import("./wallet-payment").then((module) => module.WalletPayment), {
  ssr: false,
  loading: WalletFormLoading,
});

/** Depositing from a wallet in this browser. */
export const SendFromWallet = (payment: WalletPaymentProps) => (
  <WalletSection title="Send from my wallet" Heading="h3">
    <WalletPayment {...payment} />
  </WalletSection>
);
