"use client";

import { ArrowUpFromLineIcon } from "lucide-react";
import { useEffect, useRef } from "react";
import { toast } from "sonner";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { shortAddress } from "@/components/ui/text/short-address";
import { chainName } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import type { Answer } from "@/lib/console/views/answer";
import type { WithdrawalView } from "@/lib/console/views/withdraw";
import { type Column, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { ActionButton } from "../action-button";
import { moneyTable, NoneBefore, OnPhone, onDesktop, Transaction } from "../money-list";
import { isCancellable, isOpen, WithdrawalState } from "./withdrawal-state";

/** The toast about a withdrawal under way. */
export const WITHDRAWAL_TOAST = "withdrawal";

type CancelWithdrawal = (withdrawal: { id: string }) => Promise<Answer>;

interface WithdrawalListProps {
  /** Newest first. */
  withdrawals: readonly WithdrawalView[];
  cancel: CancelWithdrawal;
  isNewest: boolean;
}

/** The withdrawals, newest first: a row of five columns on a desktop, two lines on a phone. */
export function WithdrawalList({ withdrawals, cancel, isNewest }: WithdrawalListProps) {
  usePaidToast(withdrawals);
  if (withdrawals.length > 0) {
    const columns = columnsOf(placesOf(withdrawals.map(({ amount }) => amount)), cancel);
    return <DataTable {...moneyTable} caption="Withdrawals" columns={columns} rows={withdrawals} idOf={({ id }) => id} />;
  }
  if (!isNewest) return <NoneBefore what="withdrawals" />;
  return (
    <EmptyState picture={<ArrowUpFromLineIcon />} title="No withdrawals yet">
      Your withdrawals and their status appear here.
    </EmptyState>
  );
}

/** Replaces the toast about a withdrawal once it is paid. */
function usePaidToast(withdrawals: readonly WithdrawalView[]): void {
  const known = useRef(withdrawals);
  useEffect(() => {
    const wereOpen = new Set(known.current.filter(isOpen).map(({ id }) => id));
    known.current = withdrawals;
    const paid = withdrawals.find(({ id, state }) => state === "final" && wereOpen.has(id));
    if (paid) toast.success(`Withdrawal of ${formatUsd(paid.amount)} paid.`, { id: WITHDRAWAL_TOAST });
  }, [withdrawals]);
}

const columnsOf = (places: number, cancel: CancelWithdrawal): Column<WithdrawalView>[] => [
  {
    id: "amount",
    heading: "Amount",
    className: "pr-5 text-left md:text-right",
    cellClassName: "font-normal",
    cell: (row) => (
      <>
        <span className={`font-mono ${isPaidOrOpen(row) ? "" : "text-muted line-through"}`} title={`Fee ${formatUsd(row.fee)}`}>
          <Amount nano={row.amount} places={places} />
        </span>
        <OnPhone>
          {chainName(row.chain)} · <LocalTime at={row.requestedAt} shape="short" />
        </OnPhone>
      </>
    ),
  },
  {
    id: "status",
    heading: "Status",
    className: "text-left md:w-full md:pr-5",
    cell: (row) => (
      <>
        <WithdrawalState row={row} />
        <OnPhone isRight>
          <Last row={row} cancel={cancel} />
        </OnPhone>
      </>
    ),
  },
  {
    id: "to",
    heading: "To",
    ...onDesktop,
    cell: ({ chain, destination }) => (
      <>
        {chainName(chain)}{" "}
        <span className="font-mono" title={destination}>
          {shortAddress(destination)}
        </span>
      </>
    ),
  },
  { id: "date", heading: "Date", ...onDesktop, cell: ({ requestedAt }) => <LocalTime at={requestedAt} shape="short" /> },
  {
    id: "transaction",
    heading: "Transaction",
    ...onDesktop,
    className: "text-left max-md:hidden",
    cell: (row) => <Last row={row} cancel={cancel} />,
  },
];

const isPaidOrOpen = (row: WithdrawalView): boolean => isOpen(row) || row.state === "final";

/** Its transaction, or the button to cancel it before there is one. */
const Last = ({ row, cancel }: { row: WithdrawalView; cancel: CancelWithdrawal }) =>
  isCancellable(row) ? <Cancel row={row} cancel={cancel} /> : <Transaction of={row} />;

const Cancel = ({ row: { id, amount, fee }, cancel }: { row: WithdrawalView; cancel: CancelWithdrawal }) => (
  <ActionButton
    action={cancel}
    input={{ id }}
    done={`Cancelled. ${formatUsd(amount + fee)} is back in your balance.`}
    toastId={WITHDRAWAL_TOAST}
    aria-label={`Cancel the withdrawal of ${formatUsd(amount)}`}
  >
    Cancel
  </ActionButton>
);
