import { ArrowDownToLineIcon, ArrowUpRightIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Amount, placesOf } from "../../ui/amount";
import { Badge } from "../../ui/badge";
import { EmptyState } from "../../ui/empty-state";
import { LocalTime } from "../../ui/local-time";
import { PageRefresh } from "../../ui/page-refresh";
import { ShortAddress } from "../../ui/short-address";
import { Confirmations } from "./confirmations";
import { chainNames, type DepositRow } from "./deposit-types";

interface DepositListProps {
  /** Newest first. */
  deposits: readonly DepositRow[];
  isSandbox: boolean;
}

const PENDING_EVERY_MS = 3_000;
const QUIET_EVERY_MS = 15_000;

const isPending = ({ state }: DepositRow): boolean => state === "seen" || state === "confirming";

/** What has come in, newest first, counting along while a chain confirms it. */
export function DepositList({ deposits, isSandbox }: DepositListProps) {
  const refresh = <PageRefresh everyMs={deposits.some(isPending) ? PENDING_EVERY_MS : QUIET_EVERY_MS} />;
  if (deposits.length === 0) {
    return (
      <>
        {refresh}
        <EmptyState picture={<ArrowDownToLineIcon />} title="No deposits yet">
          {isSandbox
            ? "Press the faucet's button: its test USDC is in your balance at once. Deposits over the sandbox's own chains will be listed here."
            : "Send USDC to one of the addresses above. It appears here as soon as the chain has it, counts its confirmations, and is then in your balance to the last cent."}
        </EmptyState>
      </>
    );
  }
  const places = placesOf(deposits.map(({ amount }) => amount));
  return (
    <>
      {refresh}
      <ul className="border-t border-line text-sm">
        {deposits.map((deposit) => (
          <DepositLine key={deposit.id} deposit={deposit} places={places} />
        ))}
      </ul>
    </>
  );
}

function DepositLine({ deposit, places }: { deposit: DepositRow; places: number }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-1.5 border-b border-line py-3 md:grid-cols-[7rem_minmax(0,1fr)_4rem_auto_9rem]">
      <span className={`font-mono md:text-right ${deposit.state === "reversed" ? "text-muted line-through" : ""}`}>
        <Amount nano={deposit.amount} places={places} />
      </span>
      <span className="max-md:justify-self-end">
        <DepositState deposit={deposit} />
      </span>
      <span className="text-muted max-md:hidden">{chainNames[deposit.chain]}</span>
      <span className="flex items-center gap-1 max-md:order-last max-md:justify-self-end">
        <ShortAddress value={deposit.transaction} what="transaction" />
        {deposit.transactionUrl ? (
          <a
            href={deposit.transactionUrl}
            target="_blank"
            rel="noreferrer"
            aria-label={`Show the transaction on ${chainNames[deposit.chain]}`}
            className="p-1 text-muted transition hover:text-ink"
          >
            <ArrowUpRightIcon aria-hidden="true" className="size-4" />
          </a>
        ) : null}
      </span>
      <span className="text-muted md:text-right">
        <span className="md:hidden">{chainNames[deposit.chain]}, </span>
        <LocalTime at={deposit.seenAt} shape="short" />
      </span>
    </li>
  );
}

/** Where it stands, in a word, and what that means where the word does not say it. */
function DepositState({ deposit }: { deposit: DepositRow }): ReactNode {
  switch (deposit.state) {
    case "seen":
      return <WithNote badge={<Badge tone="waiting">seen</Badge>} note="waits for its first confirmation" />;
    case "confirming":
      return <Confirmations done={deposit.confirmations} needed={deposit.confirmationsNeeded} />;
    case "credited":
      return <Badge tone="good">credited</Badge>;
    case "below_minimum":
      return <WithNote badge={<Badge>below the minimum</Badge>} note="kept until it adds up" />;
    case "reversed":
      return <WithNote badge={<Badge tone="bad">reversed</Badge>} note="the chain took it back" />;
  }
}

const WithNote = ({ badge, note }: { badge: ReactNode; note: string }) => (
  <span className="flex flex-wrap items-center gap-x-2.5 max-md:justify-end">
    {badge}
    <span className="text-xs text-muted">{note}</span>
  </span>
);
