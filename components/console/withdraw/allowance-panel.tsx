import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { type ChainId, chainName, chainRegistry } from "@/lib/base/chains";
import type { AllowanceView } from "@/lib/console/views/withdraw";

interface AllowancePanelProps {
  chain: ChainId;
  /** The maximum that can arrive on the chain now, nano-USD. */
  most: bigint;
  allowance: AllowanceView;
}

/** The amount that can be withdrawn on the chosen chain, and its limits. */
export const AllowancePanel = ({ chain, most, allowance }: AllowancePanelProps) => (
  <dl className="grid content-start gap-4 text-sm max-md:grid-cols-2">
    <Figure title={`You can withdraw on ${chainName(chain)}`} amount={most} large>
      after the fee
    </Figure>
    {allowance.unfinal > 0n ? (
      <Figure title="Not final yet" amount={allowance.unfinal}>
        You can spend it now, and withdraw it once final: within {chainRegistry.base.finalIn} on Base, {chainRegistry.solana.finalIn} on
        Solana.
      </Figure>
    ) : null}
    <Figure title="Left in your 24-hour limit" amount={allowance.leftOfDay}>
      Each withdrawal counts for 24 hours after you request it.
    </Figure>
    {allowance.leftOfOwn === null ? null : <Figure title="Left in your own limit" amount={allowance.leftOfOwn} />}
    {allowance.leftOfService < most ? (
      <Figure title="Paid right away" amount={allowance.leftOfService}>
        This service is close to its 24-hour limit for all accounts. Larger withdrawals are queued.
      </Figure>
    ) : null}
    <Figure title="Without approval" amount={allowance.leftWithoutApproval}>
      Larger amounts need manual approval.
    </Figure>
  </dl>
);

interface FigureProps {
  title: string;
  amount: bigint;
  large?: boolean;
  children?: ReactNode;
}

const Figure = ({ title, amount, large = false, children }: FigureProps) => (
  <div>
    <dt className="text-muted">{title}</dt>
    <dd className={large ? "font-mono text-lg" : "font-mono"}>
      <Amount nano={amount} />
    </dd>
    {children ? <dd className="text-xs text-faint">{children}</dd> : null}
  </div>
);
