// Shared parts of the lists of deposits, withdrawals and payments.

import { ArrowUpRightIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Chain } from "@/lib/console/views/chain";
import { ActionLink } from "../ui/action-link";
import { Badge, type Tone } from "../ui/badge";
import { chainNames } from "../ui/chain-names";
import { classNames } from "../ui/class-names";
import { EmptyState } from "../ui/empty-state";
import { PageRefresh } from "../ui/page-refresh";

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

const OPEN_EVERY_MS = 2_000;
const QUIET_EVERY_MS = 30_000;

/** Refreshes a list: often while an item is under way. */
export const ListRefresh = ({ isOpen }: { isOpen: boolean }) => <PageRefresh everyMs={isOpen ? OPEN_EVERY_MS : QUIET_EVERY_MS} />;

/** Links to a transaction in its chain's explorer, if it has one. */
export const TransactionLink = ({ href, chain }: { href: string | null; chain: Chain }) =>
  href ? (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      aria-label={`Show the transaction on ${chainNames[chain]}`}
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
