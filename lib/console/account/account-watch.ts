// The accounts whose pages are open on this process. All of them are read once a second in one statement, however many streams follow
// each.

import { setTimeout as sleep } from "node:timers/promises";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import type { AccountView } from "../views/account";
import { readAccountViews } from "./account-view";

interface Follower {
  /** At once, if the account is followed already, and after each change. */
  onView: (view: AccountView) => void;
  /** The account cannot be read; nothing follows. */
  onFailure: () => void;
}

interface Watch {
  followers: Set<Follower>;
  latest: AccountView | null;
}

interface Watches {
  accounts: Map<AccountId, Watch>;
  isReading: boolean;
}

const READ_EVERY_MS = 1_000;
/** The tabs of one browser share a stream. */
const MAX_OF_AN_ACCOUNT = 8;
const MAX_ACCOUNTS = 2_000;

const watches = processSingleton<Watches>("account watches", () => ({ accounts: new Map(), isReading: false }));

/** Follows the account until the returned function is called. Null: too many streams follow it, or too many accounts are followed. */
export function watchAccount(accountId: AccountId, follower: Follower): (() => void) | null {
  const all = watches();
  const watch = all.accounts.get(accountId) ?? { followers: new Set(), latest: null };
  if (watch.followers.size >= MAX_OF_AN_ACCOUNT || (watch.followers.size === 0 && all.accounts.size >= MAX_ACCOUNTS)) return null;
  watch.followers.add(follower);
  all.accounts.set(accountId, watch);
  if (watch.latest) follower.onView(watch.latest);
  if (!all.isReading) void readRegularly(all);
  return () => {
    watch.followers.delete(follower);
    if (watch.followers.size === 0 && all.accounts.get(accountId) === watch) all.accounts.delete(accountId);
  };
}

async function readRegularly(all: Watches): Promise<void> {
  all.isReading = true;
  while (all.accounts.size > 0) {
    await readAll(all.accounts);
    await sleep(READ_EVERY_MS, undefined, { ref: false });
  }
  all.isReading = false;
}

async function readAll(accounts: Watches["accounts"]): Promise<void> {
  try {
    const views = await readAccountViews([...accounts.keys()]);
    for (const [accountId, watch] of accounts) {
      const view = views.get(accountId);
      if (!view || (watch.latest && isSame(view, watch.latest))) continue;
      watch.latest = view;
      for (const { onView } of watch.followers) onView(view);
    }
  } catch (error) {
    log().warn({ err: error }, "could not read the accounts of open pages; they will ask again");
    const failed = [...accounts.values()];
    accounts.clear();
    for (const { followers } of failed) for (const { onFailure } of followers) onFailure();
  }
}

const isSame = (one: AccountView, other: AccountView): boolean =>
  one.available === other.available && one.reserved === other.reserved && JSON.stringify(one.marks) === JSON.stringify(other.marks);
