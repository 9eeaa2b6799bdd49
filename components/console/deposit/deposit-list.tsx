import { Amount, placesOf } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { chainName } from "@/lib/base/chains";
import type { DepositRow, DepositView } from "@/lib/console/views/deposit";
import { type Column, DataTable } from "../../ui/data-table";
import { ListPages, moneyTable, NoneBefore, OnPhone, onDesktop, Transaction } from "../money-list";
import { Panel } from "../panel";
import { DepositProgress } from "./deposit-progress";

interface DepositListProps {
  /** Newest first; at least one. */
  deposits: readonly DepositRow[];
  uncredited: DepositView["uncredited"];
  /** Nano-USD. */
  minimum: bigint;
}

/** Deposits, and the progress of each: a row of five columns on a desktop, two lines on a phone. */
export const DepositList = (list: DepositListProps) => (
  <DataTable {...moneyTable} caption="Deposits" columns={columnsOf(list)} rows={list.deposits} idOf={({ id }) => id} />
);

function columnsOf({ deposits, uncredited, minimum }: DepositListProps): Column<DepositRow>[] {
  const places = placesOf(deposits.map(({ amount }) => amount));
  return [
    {
      id: "amount",
      heading: "Amount",
      className: "pr-5 text-left md:text-right",
      cellClassName: "font-normal",
      cell: ({ amount, state, chain, seenAt }) => (
        <>
          <span className={`font-mono ${state === "reversed" ? "text-muted line-through" : ""}`}>
            <Amount nano={amount} places={places} />
          </span>
          <OnPhone>
            {chainName(chain)} · <LocalTime at={seenAt} shape="short" />
          </OnPhone>
        </>
      ),
    },
    {
      id: "status",
      heading: "Status",
      className: "text-left md:w-full md:pr-5",
      cell: (deposit) => (
        <>
          <DepositProgress deposit={deposit} kept={uncredited[deposit.chain]} minimum={minimum} />
          <OnPhone isRight>
            <Transaction of={deposit} />
          </OnPhone>
        </>
      ),
    },
    { id: "network", heading: "Network", ...onDesktop, cell: ({ chain }) => chainName(chain) },
    { id: "transaction", heading: "Transaction", ...onDesktop, cell: (deposit) => <Transaction of={deposit} /> },
    {
      id: "date",
      heading: "Date",
      ...onDesktop,
      className: "text-right max-md:hidden",
      cell: ({ seenAt }) => <LocalTime at={seenAt} shape="short" />,
    },
  ];
}

interface OlderDepositsProps {
  view: DepositView;
  /** Nano-USD. */
  minimum: bigint;
}

/** A page of deposits after the newest page. */
export const OlderDeposits = ({ view: { deposits, uncredited, older }, minimum }: OlderDepositsProps) => (
  <Panel title="Older deposits" className="mt-10">
    {deposits.length === 0 ? <NoneBefore what="deposits" /> : <DepositList deposits={deposits} uncredited={uncredited} minimum={minimum} />}
    <ListPages path="/deposit" older={older} isNewest={false} />
  </Panel>
);
