// The signed-in owner of an account, identified by one session. Pages and actions look it up on each request.

import { findSession } from "@/lib/access/sessions";
import type { AccountId, SessionId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { displayAddress, type Wallet } from "@/lib/chains/wallet";
import { readBalance } from "@/lib/ledger/accounts";

export interface Owner {
  accountId: AccountId;
  sessionId: SessionId;
  /** The wallet that opened this session. */
  wallet: Wallet;
  /**
   * The account is frozen, or this session's wallet is leaving it: then its owner sees everything and can only take power away, from keys,
   * withdrawals, wallets and sessions, and keep wallets.
   */
  isFrozen: boolean;
  /** This session's wallet is being unlinked from the account. */
  isLeaving: boolean;
  /** When this session's owner last signed something. */
  confirmedAt: Date;
  /** Until then the playground has no daily limit; null: nobody signed for that. */
  spendsUntil: Date | null;
}

/** The owner of the session in this cookie, or null. */
export async function findOwnerOf(token: string): Promise<Owner | null> {
  const session = await findSession(token);
  if (!session) return null;
  const { accountId, sessionId, wallet, accountState, isLeaving, confirmedAt, spendsUntil } = session;
  return { accountId, sessionId, wallet, isFrozen: accountState !== "open" || isLeaving, isLeaving, confirmedAt, spendsUntil };
}

/** The balance that the account can spend now, nano-USD: credits less charges and holds. */
export async function readAvailable(accountId: AccountId): Promise<NanoUsd> {
  return (await readBalance(accountId)).available;
}

/** The wallet with its address in display format. */
export const shownWallet = (wallet: Wallet): Wallet => ({ chain: wallet.chain, address: displayAddress(wallet) });
