// Shared parts of the lists of deposits, withdrawals and payments.

import { ArrowUpRightIcon } from "lucide-react";
import type { ReactNode } from "react";
import { type ChainId, chainName } from "@/lib/base/chains";
import { ActionLink } from "../ui/action-link";
import { Badge, type Tone } from "../ui/badge";
import { classNames } from "../ui/class-names";
import { EmptyState } from "../ui/empty-state";
import { ShortAddress } from "../ui/text/short-address";

interface ListPagesProps {
  /** The page's path: "/deposit". */
  path: string;
  /** The cursor to earlier rows; null when there are none. */
  older: string | null;
  isNewest: boolean;
}

/** Links between the pages of a list; nothing when there is only one page. */
export function ListPages({ path, older, isNewest }: ListPagesProps) {
  if (isNewest && older === null) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
      {isNewest ? null : <ActionLink href={path}>Newest</ActionLink>}
      {older === null ? null : <ActionLink href={`${path}?before=${encodeURIComponent(older)}`}>Older</ActionLink>}
    </nav>
  );
}

/** Shown on an empty page after the newest; `what` is "deposits". */
export const NoneBefore = ({ what }: { what: string }) => (
  <EmptyState title={`No ${what} before these`}>The newest ones are on the first page.</EmptyState>
);

/** The style of these tables: on a phone each row has two lines. */
export const moneyTable = { headClassName: "max-md:sr-only", cellClassName: "py-3 align-baseline" };

/** A column whose contents are on a phone in another cell's second line. */
export const onDesktop = { className: "pr-5 text-left max-md:hidden", cellClassName: "whitespace-nowrap text-muted" };

/** The second line of a cell on a phone. */
export const OnPhone = ({ isRight = false, children }: { isRight?: boolean; children: ReactNode }) => (
  <span className={`mt-1 block leading-7 whitespace-nowrap text-muted md:hidden ${isRight ? "text-right" : ""}`}>{children}</span>
);

interface TransactionProps {
  of: { chain: ChainId; transaction: string | null; transactionUrl: string | null };
}

/** A transaction's id, with a link to its chain's explorer. */
export const Transaction = ({ of: { chain, transaction, transactionUrl } }: TransactionProps) =>
  transaction ? (
    <span className="inline-flex items-center gap-1">
      <ShortAddress value={transaction} what="transaction" />
      <TransactionLink href={transactionUrl} chain={chain} />
    </span>
  ) : null;

/** Links to a transaction in its chain's explorer, if it has one. */
const TransactionLink = ({ href, chain }: { href: string | null; chain: ChainId }) =>
  href ? (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      aria-label={`Show the transaction on ${chainName(chain)}`}
      className="p-1 text-muted transition hover:text-ink"
    >
      <ArrowUpRightIcon aria-hidden="true" className="size-4" />
    </a>
  ) : null;

/** A state in a word, with an explanation where the word needs one. */
export interface StateWords {
  tone: Tone;
  word: string;
  note?: ReactNode;
}

export const StateOf = ({ words: { tone, word, note }, className }: { words: StateWords; className?: string }) => (
  <StateLine badge={<Badge tone={tone}>{word}</Badge>} note={note} className={className} />
);

interface StateLineProps {
  badge: ReactNode;
  note?: ReactNode;
  className?: string | undefined;
}

export const StateLine = ({ badge, note, className }: StateLineProps) => (
  <span className={classNames("flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5 max-md:justify-end", className)}>
    {badge}
    {note ? <span className="text-xs text-muted max-md:text-right">{note}</span> : null}
  </span>
);
