"use client";

import { PaymentSteps, type PaymentStepsProps } from "@/components/wallet/payment/payment-steps";
import { useEvmPayment } from "@/components/wallet/payment/use-evm-payment";
import { useSolanaPayment } from "@/components/wallet/payment/use-solana-payment";
import { chainRegistry } from "@/lib/base/chains";
import type { EvmTarget, SolanaTarget } from "@/lib/console/views/send-targets";
import type { WalletAccess } from "@/lib/console/views/wallet";
import { WalletProviders } from "../../wallet/wallet-providers";
import { type RequestTestMoney, TestMoney } from "../test-money";

export type PaymentTarget = { chain: "base"; target: EvmTarget } | { chain: "solana"; target: SolanaTarget };

export interface WalletPaymentProps {
  access: WalletAccess;
  pay: PaymentTarget;
  /** Nano-USD. */
  minimum: bigint;
  /** Null outside a sandbox. */
  requestTestMoney: RequestTestMoney | null;
}

/** The payment form with the wallet libraries around it: large, so it is loaded on demand. */
export function WalletPayment({ access, pay, minimum, requestTestMoney }: WalletPaymentProps) {
  const testMoney = requestTestMoney
    ? (wallet: string) => <TestMoney chain={pay.chain} wallet={wallet} request={requestTestMoney} />
    : undefined;
  return (
    <WalletProviders {...access}>
      {pay.chain === "base" ? (
        <OnBase target={pay.target} minimum={minimum} testMoney={testMoney} />
      ) : (
        <OnSolana target={pay.target} minimum={minimum} testMoney={testMoney} />
      )}
    </WalletProviders>
  );
}

type OnChain<Target> = Pick<PaymentStepsProps, "minimum" | "testMoney"> & { target: Target };

const OnBase = ({ target, ...rest }: OnChain<EvmTarget>) => (
  <PaymentSteps
    wallet={useEvmPayment(target)}
    chainName={chainRegistry.base.name}
    to={target.to}
    feeCoin={chainRegistry.base.nativeCurrency}
    {...rest}
  />
);

const OnSolana = ({ target, ...rest }: OnChain<SolanaTarget>) => (
  <PaymentSteps
    wallet={useSolanaPayment(target)}
    chainName={chainRegistry.solana.name}
    to={target.to}
    feeCoin={chainRegistry.solana.nativeCurrency}
    {...rest}
  />
);
