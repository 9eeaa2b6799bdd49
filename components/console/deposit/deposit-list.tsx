import { Amount, placesOf } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { ShortAddress } from "@/components/ui/text/short-address";
import type { DepositRow, DepositView } from "@/lib/console/views/deposit";
import { chainNames } from "../../ui/chain-names";
import { ListPages, NoneBefore, TransactionLink } from "../money-list";
import { Panel } from "../panel";
import { DepositProgress } from "./deposit-progress";

interface DepositListProps {
  /** Newest first; at least one. */
  deposits: readonly DepositRow[];
  uncredited: DepositView["uncredited"];
  /** Nano-USD. */
  minimum: bigint;
}

/** Deposits, and the progress of each. */
export function DepositList({ deposits, uncredited, minimum }: DepositListProps) {
  const places = placesOf(deposits.map(({ amount }) => amount));
  return (
    <ul className="border-t border-line text-sm">
      {deposits.map((deposit) => (
        <li
          key={deposit.id}
          className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-5 gap-y-1.5 border-b border-line py-3 md:grid-cols-[7rem_minmax(0,1fr)_4rem_auto_7.5rem]"
        >
          <span className={`font-mono md:text-right ${deposit.state === "reversed" ? "text-muted line-through" : ""}`}>
            <Amount nano={deposit.amount} places={places} />
          </span>
          <DepositProgress deposit={deposit} kept={uncredited[deposit.chain]} minimum={minimum} />
          <span className="text-muted max-md:hidden">{chainNames[deposit.chain]}</span>
          <Transaction deposit={deposit} />
          <span className="text-muted md:text-right">
            <span className="md:hidden">{chainNames[deposit.chain]}, </span>
            <LocalTime at={deposit.seenAt} shape="short" />
          </span>
        </li>
      ))}
    </ul>
  );
}

const Transaction = ({ deposit: { transaction, transactionUrl, chain } }: { deposit: DepositRow }) => (
  <span className="flex items-baseline gap-1 max-md:order-last max-md:justify-self-end">
    <ShortAddress value={transaction} what="transaction" />
    <TransactionLink href={transactionUrl} chain={chain} />
  </span>
);

interface OlderDepositsProps {
  view: DepositView;
  /** Nano-USD. */
  minimum: bigint;
}

/** A page of deposits after the newest page; it changes only on reload. */
export const OlderDeposits = ({ view: { deposits, uncredited, older }, minimum }: OlderDepositsProps) => (
  <Panel title="Older deposits" className="mt-10">
    {deposits.length === 0 ? <NoneBefore what="deposits" /> : <DepositList deposits={deposits} uncredited={uncredited} minimum={minimum} />}
    <ListPages path="/deposit" older={older} isNewest={false} />
  </Panel>
);
