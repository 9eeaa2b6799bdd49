// The subscribers of this process to changes of an account's deposits. The process that records a deposit notifies all processes,
// over one database connection that is open while there is a subscriber.

import type { AccountId } from "@/lib/base/ids";
import { processSingleton } from "@/lib/base/process-singleton";
import { listen } from "@/lib/db/listen";

interface News {
  waiting: Map<AccountId, Set<() => void>>;
  count: number;
  listening: ReturnType<typeof listen> | null;
  /** True while notices arrive; while they do not, subscribers must poll. */
  isHeard: boolean;
}

/** One page open in many tabs takes one subscription per tab; only visible tabs count. */
const MAX_OF_AN_ACCOUNT = 8;
const MAX_IN_ALL = 2_000;

const news = processSingleton<News>("deposit news", () => ({ waiting: new Map(), count: 0, listening: null, isHeard: false }));

/** Calls `changed` after each change of the account's deposits, until the returned function is called. Null: too many subscribers. */
export function awaitDepositNews(accountId: AccountId, changed: () => void): (() => void) | null {
  const all = news();
  const own = all.waiting.get(accountId) ?? new Set();
  if (own.size >= MAX_OF_AN_ACCOUNT || all.count >= MAX_IN_ALL) return null;
  const call = () => changed();
  own.add(call);
  all.waiting.set(accountId, own);
  all.count += 1;
  all.listening ??= startListening(all);
  return () => {
    if (!own.delete(call)) return;
    all.count -= 1;
    if (own.size === 0) all.waiting.delete(accountId);
    if (all.count === 0) stopListening(all);
  };
}

/** False while changes may be missed. */
export const isDepositNewsHeard = (): boolean => news().isHeard;

const startListening = (all: News): ReturnType<typeof listen> =>
  listen("deposits", {
    onMessage: (accountId) => tell(all.waiting.get(accountId as AccountId)),
    onDown: () => {
      all.isHeard = false;
    },
    onUp: () => {
      all.isHeard = true;
      for (const own of all.waiting.values()) tell(own); // changes may have been missed meanwhile
    },
  });

function stopListening(all: News): void {
  void all.listening?.then(({ stop }) => stop());
  all.listening = null;
  all.isHeard = false;
}

function tell(own: ReadonlySet<() => void> = new Set()): void {
  for (const call of own) call();
}
