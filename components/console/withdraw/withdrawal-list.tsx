"use client";

import { ArrowUpFromLineIcon } from "lucide-react";
import { toast } from "sonner";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { ShortAddress, shortAddress } from "@/components/ui/text/short-address";
import { formatUsd } from "@/lib/base/money";
import type { Answer } from "@/lib/console/views/answer";
import type { WithdrawalView } from "@/lib/console/views/withdraw";
import { Button } from "../../ui/button";
import { chainNames } from "../../ui/chain-names";
import { EmptyState } from "../../ui/empty-state";
import { ListRefresh, NoneBefore, TransactionLink } from "../money-list";
import { useAction } from "../use-action";
import { isCancellable, isOpen, WithdrawalState } from "./withdrawal-state";

type CancelWithdrawal = (withdrawal: { id: string }) => Promise<Answer>;

interface WithdrawalListProps {
  /** Newest first. */
  withdrawals: readonly WithdrawalView[];
  cancel: CancelWithdrawal;
  isNewest: boolean;
}

/** The withdrawals, newest first, with the progress of open ones. */
export function WithdrawalList({ withdrawals, cancel, isNewest }: WithdrawalListProps) {
  const refresh = <ListRefresh isOpen={withdrawals.some(isOpen)} />;
  if (withdrawals.length === 0) {
    return (
      <>
        {refresh}
        {isNewest ? (
          <EmptyState picture={<ArrowUpFromLineIcon />} title="No withdrawals yet">
            Choose one of your wallets above. What you take out is shown here until it is final on its chain.
          </EmptyState>
        ) : (
          <NoneBefore what="withdrawals" />
        )}
      </>
    );
  }
  const places = placesOf(withdrawals.map(({ amount }) => amount));
  return (
    <>
      {refresh}
      <ul className="border-t border-line text-sm">
        {withdrawals.map((row) => (
          <WithdrawalLine key={row.id} row={row} places={places} cancel={cancel} />
        ))}
      </ul>
    </>
  );
}

function WithdrawalLine({ row, places, cancel }: { row: WithdrawalView; places: number; cancel: CancelWithdrawal }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-1.5 border-b border-line py-3 md:grid-cols-[7rem_minmax(0,1fr)_10rem_9rem_auto]">
      <span className={`font-mono md:text-right ${isPaidOrOpen(row) ? "" : "text-muted line-through"}`} title={`Fee ${formatUsd(row.fee)}`}>
        <Amount nano={row.amount} places={places} />
      </span>
      <span className="max-md:justify-self-end">
        <WithdrawalState row={row} />
      </span>
      <span className="text-muted">
        <span className="md:block">{chainNames[row.chain]}</span>
        <span className="max-md:hidden">
          {" "}
          to{" "}
          <span className="font-mono" title={row.destination}>
            {shortAddress(row.destination)}
          </span>
        </span>
        <span className="md:hidden">
          , <LocalTime at={row.requestedAt} shape="short" />
        </span>
      </span>
      <span className="text-muted max-md:hidden md:text-right">
        <LocalTime at={row.requestedAt} shape="short" />
      </span>
      <span className="flex min-h-8 items-center justify-end gap-1 max-md:justify-self-end md:w-36">
        {isCancellable(row) ? <Cancel row={row} cancel={cancel} /> : <Transaction row={row} />}
      </span>
    </li>
  );
}

const isPaidOrOpen = (row: WithdrawalView): boolean => isOpen(row) || row.state === "final";

function Transaction({ row: { transaction, transactionUrl, chain } }: { row: WithdrawalView }) {
  if (!transaction) return null;
  return (
    <>
      <ShortAddress value={transaction} what="transaction" />
      <TransactionLink href={transactionUrl} chain={chain} />
    </>
  );
}

function Cancel({ row, cancel }: { row: WithdrawalView; cancel: CancelWithdrawal }) {
  const { busy, run } = useAction();
  const press = async () => {
    const answer = await run(() => cancel({ id: row.id }));
    if (answer.ok) toast.success(`Cancelled. ${formatUsd(row.amount + row.fee)} is back in your balance.`);
    else toast.error(answer.message);
  };
  return (
    <Button size="small" busy={busy} aria-label={`Cancel the withdrawal of ${formatUsd(row.amount)}`} onClick={() => void press()}>
      Cancel
    </Button>
  );
}
