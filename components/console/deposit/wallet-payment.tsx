"use client";

import { PaymentSteps } from "@/components/wallet/payment/payment-steps";
import { useEvmPayment } from "@/components/wallet/payment/use-evm-payment";
import { useSolanaPayment } from "@/components/wallet/payment/use-solana-payment";
import type { EvmTarget, SolanaTarget } from "@/lib/console/views/send-targets";
import type { WalletAccess } from "@/lib/console/views/wallet";
import { chainNames } from "../../ui/chain-names";
import { WalletProviders } from "../../wallet/wallet-providers";

export type PaymentTarget = { chain: "base"; target: EvmTarget } | { chain: "solana"; target: SolanaTarget };

export interface WalletPaymentProps {
  access: WalletAccess;
  pay: PaymentTarget;
  /** Nano-USD. */
  minimum: bigint;
}

/** The payment form with the wallet libraries around it: large, so it is loaded on demand. */
export function WalletPayment({ access, pay, minimum }: WalletPaymentProps) {
  return (
    <WalletProviders {...access}>
      {pay.chain === "base" ? <OnBase target={pay.target} minimum={minimum} /> : <OnSolana target={pay.target} minimum={minimum} />}
    </WalletProviders>
  );
}

const OnBase = ({ target, minimum }: { target: EvmTarget; minimum: bigint }) => (
  <PaymentSteps wallet={useEvmPayment(target)} chainName={chainNames.base} to={target.to} minimum={minimum} feeCoin="ETH" />
);

const OnSolana = ({ target, minimum }: { target: SolanaTarget; minimum: bigint }) => (
  <PaymentSteps wallet={useSolanaPayment(target)} chainName={chainNames.solana} to={target.to} minimum={minimum} feeCoin="SOL" />
);
