import { SignatureIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { ShortAddress, shortAddress } from "@/components/ui/text/short-address";
import type { PaymentView } from "@/lib/console/views/payments";
import { ActionLink } from "../../ui/action-link";
import { chainNames } from "../../ui/chain-names";
import { EmptyState } from "../../ui/empty-state";
import { ListRefresh, NoneBefore, TransactionLink } from "../money-list";
import { isOpen, PaymentState } from "./payment-state";

interface PaymentListProps {
  /** Newest first. */
  payments: readonly PaymentView[];
  isNewest: boolean;
}

/** What wallets paid for requests, what those cost, and what is left. */
export function PaymentList({ payments, isNewest }: PaymentListProps) {
  const refresh = <ListRefresh isOpen={payments.some(isOpen)} />;
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
            Requests that bring a signed payment, with your keys or from your wallets, stand here with their cost and their change.
          </EmptyState>
        ) : (
          <NoneBefore what="payments" />
        )}
      </>
    );
  }
  const costs = placesOf(payments.map(({ cost }) => cost ?? 0n));
  const changes = placesOf(payments.map(({ change }) => change ?? 0n));
  return (
    <>
      {refresh}
      <Heads />
      <ul className="border-t border-line text-sm">
        {payments.map((row) => (
          <PaymentLine key={row.id} row={row} places={{ costs, changes }} />
        ))}
      </ul>
    </>
  );
}

const columns =
  "md:grid-cols-[4.5rem_6rem_6.5rem_minmax(0,1fr)_9.5rem_8rem] md:gap-x-5 lg:grid-cols-[4.5rem_7rem_7.5rem_minmax(0,1fr)_10rem_8rem]";

/** The label of each figure; on a phone it is beside the figure. */
const Heads = () => (
  <div aria-hidden="true" className={`hidden pb-2 text-xs text-muted md:grid ${columns}`}>
    <span className="text-right">Paid</span>
    <span className="text-right">Cost</span>
    <span className="text-right">Change</span>
    <span />
    <span>Wallet, transaction</span>
  </div>
);

function PaymentLine({ row, places }: { row: PaymentView; places: { costs: number; changes: number } }) {
  const isOver = row.state === "failed" || row.state === "reversed";
  return (
    <li className={`grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-b border-line py-3 ${columns}`}>
      <Figure name="Paid">
        <span className={row.state === "paid" || row.state === "claimed" ? "" : "text-muted line-through"}>
          <Amount nano={row.amount} />
        </span>
      </Figure>
      <span className="max-md:max-w-[56vw] md:order-4">
        <PaymentState row={row} />
      </span>
      <Figure name="Cost">{row.cost === null || isOver ? <None /> : <Amount nano={row.cost} places={places.costs} />}</Figure>
      <Figure name="Change" isRight>
        {row.change === null || isOver ? <None /> : <Amount nano={row.change} places={places.changes} />}
      </Figure>
      <Where row={row} />
      <span className="self-end text-right whitespace-nowrap text-muted md:order-6 md:self-center">
        <LocalTime at={row.claimedAt} shape="short" />
      </span>
    </li>
  );
}

const None = () => <span className="text-faint">–</span>;

const Figure = ({ name, isRight = false, children }: { name: string; isRight?: boolean; children: ReactNode }) => (
  <span className={`whitespace-nowrap md:text-right ${isRight ? "max-md:text-right" : ""}`}>
    <span className="mr-1.5 text-xs text-muted md:sr-only">{name}</span>
    <span className="font-mono">{children}</span>
  </span>
);

/** The payer, the payment method, and a link to the transaction. */
const Where = ({ row: { payer, chain, isX402, transaction, transactionUrl } }: { row: PaymentView }) => (
  <span className="min-w-0 text-muted md:order-5">
    <span className="block font-mono max-md:inline" title={payer}>
      {shortAddress(payer)}
    </span>
    <span className="flex items-center max-md:inline-flex">
      <span className="text-xs max-md:ml-2">{isX402 ? "x402, " : ""}</span>
      {transaction ? <ShortAddress value={transaction} what="transaction" /> : <span className="text-xs">{chainNames[chain]}</span>}
      <TransactionLink href={transactionUrl} chain={chain} />
    </span>
  </span>
);
