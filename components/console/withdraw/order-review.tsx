"use client";

import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { chainName } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import { durationText } from "@/lib/base/text/duration-text";
import type { DrawnOrder } from "@/lib/console/views/withdraw";
import { Button } from "../../ui/button";
import { FoldSummary } from "../../ui/fold-summary";
import { useFocusOnStep } from "../../ui/use-focus-on-step";
import { WalletButtonLoading } from "../../wallet/wallet-loading";
import { OrderSum } from "./order-sum";
import type { OrderSigningProps } from "./sign-order";

const OrderSigning = dynamic(() => import("./sign-order").then((module) => module.OrderSigning), {
  ssr: false,
  loading: WalletButtonLoading,
});

interface OrderReviewProps extends Omit<OrderSigningProps, "order"> {
  order: DrawnOrder;
  onBack: () => void;
}

/** The order to be signed, and the wallet that signs it. */
export function OrderReview({ order, onBack, ...signing }: OrderReviewProps) {
  const part = useFocusOnStep(order.nonce);
  return (
    <section ref={part} tabIndex={-1} aria-label="Review the withdrawal" className="grid gap-5 outline-none">
      <dl className="grid gap-3 text-sm">
        <Fact title="To">
          <span className="font-mono break-all">{order.destination}</span>
        </Fact>
        <Fact title="Network">{chainName(order.chain)}</Fact>
      </dl>
      <OrderSum amount={order.amount} fee={order.fee} highestFee={order.fee} />
      <div className="grid gap-2 text-sm text-muted">
        {order.opensAccount ? (
          <p>This wallet has no USDC account on Solana yet. The fee includes opening one, which you pay once.</p>
        ) : null}
        {order.waits.ownSeconds > 0 ? (
          <p className="text-amber-ink">Your rules delay it by {durationText(order.waits.ownSeconds)}. You can cancel it until then.</p>
        ) : null}
        {order.waits.needsApproval ? (
          <p className="text-amber-ink">{formatUsd(order.amount)} needs manual approval. You can cancel it until we send it.</p>
        ) : null}
        {order.waits.waitsItsTurn ? (
          <p className="text-amber-ink">This exceeds what is left of the service’s 24-hour limit. It will be paid in turn.</p>
        ) : null}
        <details open>
          <FoldSummary className="w-fit">What your wallet signs</FoldSummary>
          <pre className="mt-2 overflow-x-auto rounded border border-line bg-panel p-3 font-mono text-xs whitespace-pre-wrap break-all text-ink">
            {order.text}
          </pre>
        </details>
      </div>
      <OrderSigning order={order} {...signing} />
      <Button size="small" className="justify-self-start" onClick={onBack}>
        Back
      </Button>
    </section>
  );
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <dt className="text-muted">{title}</dt>
    <dd>{children}</dd>
  </div>
);
