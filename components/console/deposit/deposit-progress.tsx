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
      return <StateLine badge={<Badge tone="waiting">seen</Badge>} note="Waits for its first confirmation." />;
    case "confirming":
      return <StateLine badge={<Confirmations done={deposit.confirmations} needed={deposit.neededConfirmations} />} />;
    case "credited":
      return (
        <StateLine
          badge={<Badge tone="good">credited</Badge>}
          note={deposit.isFinal ? null : "Yours to spend. It can be withdrawn once it is final."}
        />
      );
    case "below_minimum":
      return (
        <StateLine
          badge={<Badge>below the minimum</Badge>}
          note={
            <>
              Credited once this address has <Amount nano={minimum} />: <Amount nano={kept} /> so far.
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
              ? "Its chain dropped it, so it left your balance again. It comes back if the chain does."
              : "Its chain dropped it before it was credited. It comes back if the chain does."
          }
        />
      );
  }
}
