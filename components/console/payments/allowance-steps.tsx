"use client";

import { type ReactNode, useEffect } from "react";
import { ShortAddress } from "@/components/ui/text/short-address";
import { ApproveUsdc } from "@/components/wallet/payment/approve-usdc";
import { formatUnits } from "@/components/wallet/payment/usdc-text";
import { type Payer, usePayer } from "@/components/wallet/payment/use-payer";
import { chainRegistry } from "@/lib/base/chains";
import type { SettlementTarget } from "@/lib/console/views/send-targets";
import type { WalletAccess } from "@/lib/console/views/wallet";
import { Skeleton } from "../../ui/skeleton";
import { useFocusOnStep } from "../../ui/use-focus-on-step";
import { EvmMark } from "../../wallet/chain-marks";
import { startLinking } from "../../wallet/linking";
import { WalletProviders } from "../../wallet/wallet-providers";
import { ChooseWallet, Elsewhere } from "../../wallet/wallet-steps";
import { type RequestTestMoney, TestMoney } from "../test-money";

const CHAIN = chainRegistry.base.name;

export interface WalletAllowanceProps {
  access: WalletAccess;
  target: SettlementTarget;
  /** Sends test USDC and gas to a wallet, in a sandbox; null elsewhere. */
  requestTestMoney: RequestTestMoney | null;
}

/** A wallet's allowance with the wallet libraries around it: large, so it is loaded after the page. */
export const WalletAllowance = ({ access, ...steps }: WalletAllowanceProps) => (
  <WalletProviders {...access}>
    <AllowanceSteps {...steps} />
  </WalletProviders>
);

/** The wallet, the amount that the payment contract may take from it, and how to change that. */
function AllowanceSteps({ target, requestTestMoney }: Omit<WalletAllowanceProps, "access">) {
  const payer = usePayer(target);
  const { handle, place } = payer;
  const step = useFocusOnStep(handle.wallet ? "allowance" : "choose");
  // The paying wallet need not be linked to the account: choosing it must not sign the person out.
  useEffect(startLinking, []);
  return (
    <div ref={step} tabIndex={-1} className="grid gap-5 outline-none">
      {!handle.wallet ? (
        <ChooseWallet handle={handle} mark={<EvmMark />}>
          Choose the Ethereum wallet to pay from. It needs USDC on {CHAIN}.
        </ChooseWallet>
      ) : (
        <div className="grid items-start gap-x-12 gap-y-6 lg:grid-cols-2">
          <div className="grid justify-items-start gap-4">
            <Facts payer={payer} target={target} />
            {requestTestMoney && place.kind === "here" ? (
              <TestMoney chain="base" wallet={handle.wallet.address} request={requestTestMoney} />
            ) : null}
          </div>
          {place.kind === "elsewhere" ? (
            <Elsewhere wallet={payer} place={place} chainName={CHAIN} />
          ) : (
            <ApproveUsdc payer={payer} chainName={CHAIN} proposed="5.00" onAnother={() => void handle.forget()} />
          )}
        </div>
      )}
    </div>
  );
}

function Facts({ payer: { handle, place, funds }, target }: { payer: Payer; target: SettlementTarget }) {
  const unread = place.kind === "elsewhere" ? <span className="text-muted">–</span> : <Skeleton className="h-5 w-16" />;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 gap-y-1.5 text-sm">
      <Fact name="Allowance">{funds ? <span className="font-mono text-lg">{formatUnits(funds.allowance)}</span> : unread}</Fact>
      <Fact name="Wallet">
        {handle.wallet ? <ShortAddress value={handle.wallet.address} what="wallet's address" /> : null}
        <span className="text-muted">in {handle.wallet?.name}</span>
      </Fact>
      <Fact name="USDC balance">{funds ? <span className="font-mono">{formatUnits(funds.units)}</span> : unread}</Fact>
      <Fact name="Contract">
        <ShortAddress value={target.contract} what="contract's address" />
      </Fact>
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-2">{children}</dd>
  </>
);
