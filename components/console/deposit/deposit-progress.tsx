import type { ReactNode } from "react";
import type { DepositRow } from "@/lib/console/views/deposit";
import { Amount } from "../../ui/amount";
import { Badge } from "../../ui/badge";
import { Confirmations } from "./confirmations";

interface DepositProgressProps {
  deposit: DepositRow;
  /** What waits for the minimum at its address, nano-USD. */
  kept: bigint;
  /** Nano-USD. */
  minimum: bigint;
}

/** Where a deposit stands, in a word, and what that means where the word does not say it. */
export function DepositProgress({ deposit, kept, minimum }: DepositProgressProps) {
  switch (deposit.state) {
    case "seen":
      return <Progress word={<Badge tone="waiting">seen</Badge>}>Waits for its first confirmation.</Progress>;
    case "confirming":
      return <Progress word={<Confirmations done={deposit.confirmations} needed={deposit.neededConfirmations} />} />;
    case "credited":
      return (
        <Progress word={<Badge tone="good">credited</Badge>}>
          {deposit.isFinal ? null : "Yours to spend. It can be withdrawn once it is final."}
        </Progress>
      );
    case "below_minimum":
      return (
        <Progress word={<Badge>below the minimum</Badge>}>
          Credited once this address has <Amount nano={minimum} />: <Amount nano={kept} /> so far.
        </Progress>
      );
    case "reversed":
      return (
        <Progress word={<Badge tone="bad">reversed</Badge>}>
          {deposit.creditedAt
            ? "Its chain dropped it, so it left your balance again. It comes back if the chain does."
            : "Its chain dropped it before it was credited. It comes back if the chain does."}
        </Progress>
      );
  }
}

const Progress = ({ word, children = null }: { word: ReactNode; children?: ReactNode }) => (
  <span className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5 max-md:justify-end max-md:text-right">
    {word}
    {children ? <span className="text-xs text-muted">{children}</span> : null}
  </span>
);
