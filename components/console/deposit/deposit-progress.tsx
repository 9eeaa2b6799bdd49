import { Amount } from "@/components/ui/text/amount";
import type { DepositRow } from "@/lib/console/views/deposit";
import { Badge } from "../../ui/badge";
import { StateLine } from "../money-list";
import { Confirmations } from "./confirmations";

interface DepositProgressProps {
  deposit: DepositRow;
  /** The sum at its address that is still below the minimum, nano-USD. */
  kept: bigint;
  /** Nano-USD. */
  minimum: bigint;
}

/** A deposit's state in a word, with an explanation where the word needs one. */
export function DepositProgress({ deposit, kept, minimum }: DepositProgressProps) {
  switch (deposit.state) {
    case "seen":
      return <StateLine badge={<Badge tone="waiting">seen</Badge>} note="Waiting for the first confirmation." />;
    case "confirming":
      return <StateLine badge={<Confirmations done={deposit.confirmations} needed={deposit.neededConfirmations} />} />;
    case "credited":
      return (
        <StateLine
          badge={<Badge tone="good">credited</Badge>}
          note={deposit.isFinal ? null : "Ready to spend. Can be withdrawn once final."}
        />
      );
    case "below_minimum":
      return (
        <StateLine
          badge={<Badge>below the minimum</Badge>}
          note={
            <>
              <Amount nano={kept} /> of <Amount nano={minimum} /> received so far.
            </>
          }
        />
      );
    case "reversed":
      return (
        <StateLine
          badge={<Badge tone="bad">reversed</Badge>}
          note={
            deposit.creditedAt
              ? "The network dropped this transaction, so it was taken out of your balance."
              : "The network dropped this transaction before it was credited."
          }
        />
      );
  }
}
