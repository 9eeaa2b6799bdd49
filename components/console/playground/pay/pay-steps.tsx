"use client";

import Link from "next/link";
import { useEffect } from "react";
import { ShortAddress } from "@/components/ui/text/short-address";
import { ApproveUsdc } from "@/components/wallet/payment/approve-usdc";
import { formatUnits } from "@/components/wallet/payment/usdc-text";
import { type Payer, usePayer } from "@/components/wallet/payment/use-payer";
import { chainRegistry } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import { Button } from "../../../ui/button";
import { Problem } from "../../../ui/problem";
import { Skeleton } from "../../../ui/skeleton";
import { useFocusOnStep } from "../../../ui/use-focus-on-step";
import { EvmMark } from "../../../wallet/chain-marks";
import { startLinking } from "../../../wallet/linking";
import { WalletProviders } from "../../../wallet/wallet-providers";
import { ChooseWallet, Elsewhere } from "../../../wallet/wallet-steps";
import type { SignedPayment } from "../run";
import type { RunQuote } from "../run-request";
import { centsFor, centsToNano, centsToUnits, type DrawPayment, shortageCure, type WalletPaySettings } from "./pay-types";
import { useSignedPayment } from "./use-signed-payment";

interface PayStepsProps extends Omit<WalletPaySettings, "access"> {
  /** The price of the form's prompt; null while there is none. */
  quote: RunQuote | null;
  /** A run is under way, or the price is being updated. */
  isBusy: boolean;
  drawPayment: DrawPayment;
  onSigned: (payment: SignedPayment) => void;
}

/** The wallet pays where the settlement contract is. */
const CHAIN = chainRegistry.base.name;

/** Paying for a prompt with the wallet libraries around it: large, so it is loaded on demand. */
export const WalletPay = ({ access, ...steps }: PayStepsProps & Pick<WalletPaySettings, "access">) => (
  <WalletProviders {...access}>
    <PaySteps {...steps} />
  </WalletProviders>
);

/** The wallet, what it lacks, and the text that it signs. */
function PaySteps({ target, minimumCents, quote, ...rest }: PayStepsProps) {
  const payer = usePayer(target);
  const { handle, place } = payer;
  const step = useFocusOnStep(handle.wallet ? "pay" : "choose");
  // The paying wallet need not be linked to the account: choosing it must not sign the person out.
  useEffect(startLinking, []);
  if (!handle.wallet) {
    return (
      <div ref={step} tabIndex={-1} className="outline-none">
        <ChooseWallet handle={handle} mark={<EvmMark />}>
          Choose the Ethereum wallet to pay with. It needs USDC on {CHAIN}. Signing costs no fee.
        </ChooseWallet>
      </div>
    );
  }
  return (
    <div ref={step} tabIndex={-1} className="grid gap-4 text-sm outline-none">
      <p className="flex flex-wrap items-center gap-x-2">
        <ShortAddress value={handle.wallet.address} what="wallet's address" />
        <span className="text-muted">in {handle.wallet.name}</span>
        <Button look="quiet" size="small" className="-my-1 ml-auto" onClick={() => void handle.forget()}>
          Use another wallet
        </Button>
      </p>
      {place.kind === "elsewhere" ? (
        <Elsewhere wallet={payer} place={place} chainName={CHAIN} />
      ) : quote === null ? (
        <p className="text-muted">Write a prompt first. You sign for its maximum cost.</p>
      ) : (
        <Paying payer={payer} cents={centsFor(quote.ceiling, minimumCents)} minimumCents={minimumCents} {...rest} />
      )}
    </div>
  );
}

interface SigningProps extends Pick<PayStepsProps, "linked" | "isBusy" | "drawPayment" | "onSigned"> {
  payer: Payer;
  cents: number;
}

function Paying({ payer, cents, minimumCents, ...rest }: SigningProps & Pick<PayStepsProps, "minimumCents">) {
  const { funds } = payer;
  const needed = centsToUnits(cents);
  if (!funds) return <Skeleton className="h-24 rounded" />;
  if (funds.units < needed) {
    return (
      <Problem>
        This wallet has {formatUnits(funds.units)} in USDC on {CHAIN}. This prompt needs {formatUnits(needed)}.{" "}
        {shortageCure(cents, minimumCents)}
      </Problem>
    );
  }
  if (funds.allowance < needed) {
    return (
      <>
        <p role="status" className="text-amber-ink">
          This wallet’s allowance is {formatUnits(funds.allowance)}. This prompt needs {formatUnits(needed)}.{" "}
          <Link href="/payments" className="underline underline-offset-4">
            What is an allowance?
          </Link>
        </p>
        <ApproveUsdc
          payer={payer}
          chainName={CHAIN}
          proposed={formatUsd(needed > 5_000_000n ? centsToNano(cents) : 5_000_000_000n).slice(1)}
        />
      </>
    );
  }
  return <Signing payer={payer} cents={cents} {...rest} />;
}

function Signing({ payer, cents, linked, isBusy, drawPayment, onSigned }: SigningProps) {
  const { payment, isSigning, problem, sign } = useSignedPayment({ payer, cents, draw: drawPayment, onSigned });
  const amount = formatUsd(centsToNano(cents));
  const isOwn = linked.some((address) => address.toLowerCase() === payer.handle.wallet?.address.toLowerCase());
  return (
    <>
      <div>
        <p id="payment-text" className="text-xs text-muted">
          Your wallet signs this text
        </p>
        {payment ? (
          <section
            aria-labelledby="payment-text"
            className="mt-1.5 rounded border border-line bg-panel px-3 py-2.5 font-mono text-xs leading-5 break-all whitespace-pre-wrap"
          >
            {payment.text}
          </section>
        ) : (
          <Skeleton className="mt-1.5 h-[102px] rounded" />
        )}
      </div>
      <p className="text-muted">
        One payment of {amount}. It expires five minutes after its timestamp.{" "}
        {isOwn
          ? "Any unused amount is added to your balance."
          : "Any unused amount stays as a credit of this wallet. To add it to a balance, sign in with this wallet or link it to your account."}{" "}
        <Link href="/payments" className="underline underline-offset-4 transition hover:text-ink">
          Past payments
        </Link>
      </p>
      <Button look="primary" busy={isSigning} disabled={!payment || isBusy} className="justify-self-start" onClick={() => void sign()}>
        {isSigning ? "Sign in your wallet" : `Sign and pay ${amount}`}
      </Button>
      {problem ? <Problem>{problem}</Problem> : null}
    </>
  );
}
