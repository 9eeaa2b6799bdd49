import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import type { AllowanceView } from "@/lib/console/views/withdraw";

/** How much can leave now, and what limits it. */
export const AllowancePanel = ({ allowance }: { allowance: AllowanceView }) => (
  <dl className="grid content-start gap-4 text-sm max-md:grid-cols-2">
    <Figure title="Can leave now" amount={allowance.withdrawable} large>
      fee included
    </Figure>
    {allowance.unfinal > 0n ? (
      <Figure title="Not final yet" amount={allowance.unfinal}>
        came in minutes ago: you can spend it, and take it out once its chain cannot undo it
      </Figure>
    ) : null}
    <Figure title="Left of the 24-hour limit" amount={leftOfDay(allowance)} />
    <Figure title="Without approval" amount={allowance.leftWithoutApproval}>
      more waits for whoever runs this service
    </Figure>
  </dl>
);

/** What is left of the account's limit, or of the service's when that is less. */
function leftOfDay({ leftOfDay: ofAccount, leftOfService: ofService }: AllowanceView): bigint {
  return ofAccount < ofService ? ofAccount : ofService;
}

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
