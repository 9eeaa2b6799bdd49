import { SignatureIcon } from "lucide-react";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { shortAddress } from "@/components/ui/text/short-address";
import { chainName } from "@/lib/base/chains";
import type { PaymentView } from "@/lib/console/views/payments";
import { ActionLink } from "../../ui/action-link";
import { type Column, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { PageRefresh } from "../../ui/page-refresh";
import { moneyTable, NoneBefore, OnPhone, onDesktop, StateOf, type StateWords, Transaction } from "../money-list";

const OPEN_EVERY_MS = 2_000;
const QUIET_EVERY_MS = 30_000;

interface PaymentListProps {
  /** Newest first. */
  payments: readonly PaymentView[];
  isNewest: boolean;
}

/** The payments of wallets for requests, the cost of the requests, and the rest. */
export function PaymentList({ payments, isNewest }: PaymentListProps) {
  const refresh = <PageRefresh everyMs={payments.some(isOpen) ? OPEN_EVERY_MS : QUIET_EVERY_MS} />;
  if (payments.length === 0) {
    return (
      <>
        {refresh}
        {isNewest ? (
          <EmptyState
            picture={<SignatureIcon />}
            title="No payments yet"
            action={<ActionLink href="/playground">Pay for a prompt</ActionLink>}
          >
            Requests you pay for with a wallet signature appear here, with their cost and change.
          </EmptyState>
        ) : (
          <NoneBefore what="payments" />
        )}
      </>
    );
  }
  return (
    <>
      {refresh}
      <DataTable {...moneyTable} caption="Payments" columns={columnsOf(payments)} rows={payments} idOf={({ id }) => id} />
    </>
  );
}

function columnsOf(payments: readonly PaymentView[]): Column<PaymentView>[] {
  const paid = placesOf(payments.map(({ amount }) => amount));
  const costs = placesOf(payments.map(({ cost }) => cost ?? 0n));
  const changes = placesOf(payments.map(({ change }) => change ?? 0n));
  const costOf = (row: PaymentView) => <Figure nano={isOver(row) ? null : row.cost} places={costs} />;
  const changeOf = (row: PaymentView) => <Figure nano={isOver(row) ? null : row.change} places={changes} />;
  return [
    {
      id: "paid",
      heading: "Paid",
      className: "pr-5 text-left md:text-right",
      cellClassName: "font-normal",
      cell: (row) => (
        <>
          <span className={`font-mono ${row.state === "paid" || row.state === "claimed" ? "" : "text-muted line-through"}`}>
            <Amount nano={row.amount} places={paid} />
          </span>
          <span className="ml-2 text-muted md:hidden">
            <LocalTime at={row.claimedAt} shape="short" />
          </span>
          <OnPhone>cost {costOf(row)}</OnPhone>
        </>
      ),
    },
    { id: "cost", heading: "Cost", ...figureColumn, cell: costOf },
    { id: "change", heading: "Change", ...figureColumn, cell: changeOf },
    {
      id: "status",
      heading: "Status",
      className: "text-left md:w-full md:pr-5",
      cell: (row) => (
        <>
          <PaymentState row={row} />
          <OnPhone isRight>change {changeOf(row)}</OnPhone>
        </>
      ),
    },
    walletColumn,
    dateColumn,
  ];
}

const walletColumn: Column<PaymentView> = {
  id: "wallet",
  heading: "Wallet, transaction",
  ...onDesktop,
  cell: (row) => (
    <>
      <span className="block font-mono" title={row.payer}>
        {shortAddress(row.payer)}
      </span>
      <span className="flex items-center gap-1.5 text-xs">
        {row.isX402 ? <span>x402</span> : null}
        <Transaction of={row} />
      </span>
    </>
  ),
};

const dateColumn: Column<PaymentView> = {
  id: "date",
  heading: "Date",
  ...onDesktop,
  className: "text-right max-md:hidden",
  cell: ({ claimedAt }) => <LocalTime at={claimedAt} shape="short" />,
};

const figureColumn = { className: "pr-5 text-right max-md:hidden" };

const isOver = ({ state }: PaymentView): boolean => state === "failed" || state === "reversed";

const Figure = ({ nano, places }: { nano: bigint | null; places: number }) =>
  nano === null ? (
    <span className="text-faint">–</span>
  ) : (
    <span className="font-mono">
      <Amount nano={nano} places={places} />
    </span>
  );

/** True while the payment may still change without the owner. */
const isOpen = ({ state, cost }: PaymentView): boolean => state === "claimed" || cost === null;

/** A payment's state in a word, with an explanation where the word needs one. */
const PaymentState = ({ row }: { row: PaymentView }) => <StateOf words={wordsOf(row)} />;

function wordsOf({ state, chain, failure, cost, changeBelongsTo }: PaymentView): StateWords {
  switch (state) {
    case "claimed":
      return { tone: "waiting", word: "settling", note: `waiting for ${chainName(chain)}` };
    case "paid":
      if (cost === null) return { tone: "good", word: "paid", note: "answer in progress" };
      if (cost > 0n) return { tone: "good", word: "paid" };
      return {
        tone: "good",
        word: "paid",
        note: `nothing was charged; the full amount is ${changeBelongsTo === "account" ? "in your balance" : "a wallet credit"}`,
      };
    case "covered":
      return { tone: "plain", word: "from credit", note: "nothing was taken from the wallet" };
    case "failed":
      return { tone: "bad", word: "not paid", note: failure };
    case "reversed":
      return { tone: "bad", word: "reversed", note: `dropped by ${chainName(chain)}` };
  }
}
