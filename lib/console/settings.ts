// The owner's settings: wallets and sessions.

import { lockAccount } from "@/lib/access/accounts";
import { keepIdentity, listIdentities } from "@/lib/access/identities";
import { pauseAllKeys } from "@/lib/access/keys";
import type { Proof } from "@/lib/access/proofs";
import { endAllSessions, endSession, listSessions } from "@/lib/access/sessions";
import { config } from "@/lib/base/config";
import type { SessionId } from "@/lib/base/ids";
import type { MessageField } from "@/lib/chains/sign-in-message";
import { displayAddress, isSameWallet, readWallet, type Wallet } from "@/lib/chains/wallet";
import { inTransaction } from "@/lib/db/prisma";
import { refuse } from "./answer";
import { type Owner, shownWallet } from "./owner";
import { plainChallenge } from "./plain-challenge";
import { type RefusalReason, refusalText } from "./refusals";
import { deviceText } from "./sign-in/device";
import { linkWallet, proveJoin, startLink, startUnlinking } from "./sign-in/link-wallet";
import { checkConfirmation, listNewWallets } from "./step-up";
import type { Answer, Refusal } from "./views/answer";
import type { OwnWallet, Settings } from "./views/settings";
import type { PlainChallenge } from "./views/wallet";

/** The current session first, then the most recently seen. */
export async function readSettings(owner: Owner): Promise<Settings> {
  const [wallets, sessions] = await Promise.all([listOwnWallets(owner), listSessions(owner.accountId)]);
  const { SESSION_DAYS: days, SESSION_IDLE_HOURS: idleHours } = config();
  return {
    wallets,
    sessionEnds: { days, idleHours },
    sessions: sessions
      .map(({ sessionId, userAgent, wallet, clientAddress, createdAt, lastSeenAt }) => ({
        sessionId,
        clientAddress,
        createdAt,
        lastSeenAt,
        device: deviceText(userAgent),
        wallet: shownWallet(wallet),
        isCurrent: sessionId === owner.sessionId,
      }))
      .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent)),
  };
}

/** The account's wallets, oldest first. */
export async function listOwnWallets(owner: Owner): Promise<OwnWallet[]> {
  return (await listIdentities(owner.accountId)).map(({ wallet, linkedAt, isFirst, leavesAt }) => ({
    ...shownWallet(wallet),
    linkedAt,
    isFirst,
    leavesAt,
    isCurrent: isSameWallet(wallet, owner.wallet),
  }));
}

/**
 * Unlinks a wallet from the account in 24 hours, once another wallet has signed that. `signedOut`: the wallet had opened this session, which
 * has ended.
 */
export async function unlinkOwnWallet(owner: Owner, wallet: Wallet, proof: Proof | null): Promise<Answer<{ signedOut: boolean }>> {
  const stored = readWallet(wallet.chain, wallet.address);
  const wallets = await listIdentities(owner.accountId);
  if (!stored || !wallets.some((one) => isSameWallet(one.wallet, stored))) return refuse(refusalText("not_linked"));
  const others = wallets.filter((one) => one.leavesAt === null && !isSameWallet(one.wallet, stored));
  if (others.length === 0) return refuse(refusalText("last_wallet"));
  const fresh = await listNewWallets(owner);
  if (others.every(({ wallet: one }) => fresh.some((other) => isSameWallet(other, one)))) return refuse(refusalText("wallet_new"));
  const statement = `Unlink wallet ${displayAddress(stored)} from account ${owner.accountId} at ${config().SERVICE_NAME} in 24 hours. From now on it cannot sign for this account.`;
  const refusal = await checkConfirmation(owner, statement, proof, [stored, ...fresh]);
  if (refusal) return refusal;
  const outcome = await startUnlinking(owner, wallet);
  if (!outcome.ok) return refuse(refusalText(outcome.reason));
  return { ok: true, signedOut: isSameWallet(stored, owner.wallet) };
}

/**
 * Keeps a leaving wallet, once a wallet that stays has signed that. In a frozen account too: the wallet gets back only the power it had.
 */
export async function keepOwnWallet(owner: Owner, wallet: Wallet, proof: Proof | null): Promise<Answer> {
  const stored = readWallet(wallet.chain, wallet.address);
  if (!stored) return refuse(refusalText("not_linked"));
  const statement = `Keep wallet ${displayAddress(stored)} linked to account ${owner.accountId} at ${config().SERVICE_NAME}.`;
  const refusal = await checkConfirmation(owner, statement, proof, [stored, ...(await listNewWallets(owner))]);
  if (refusal) return refusal;
  return (await keepIdentity(owner.accountId, stored)) ? { ok: true } : refuse("This wallet is not being unlinked. Reload the page.");
}

/** The text for the wallet that joins. */
export async function startOwnLink(owner: Owner, wallet: Wallet): Promise<Answer<{ join: PlainChallenge }>> {
  const outcome = await startLink(owner, wallet);
  return outcome.ok ? { ok: true, join: plainChallenge(outcome.join) } : refuse(refusalText(outcome.reason));
}

/** The text for the linked wallet that approves; `absorbs` is the joining wallet's own account, which is merged then. */
export async function proveOwnJoin(
  owner: Owner,
  proofs: { join: Proof; allow: Wallet },
): Promise<Answer<{ allow: PlainChallenge; absorbs: string | null }>> {
  const outcome = await proveJoin(owner, proofs);
  if (!outcome.ok) return refuseLink(outcome);
  return { ok: true, allow: plainChallenge(outcome.allow), absorbs: outcome.absorbs };
}

/** Links the wallet that the approval names. */
export async function linkOwnWallet(owner: Owner, allow: Proof): Promise<Answer> {
  const outcome = await linkWallet(owner, allow);
  return outcome.ok ? outcome : refuseLink(outcome);
}

const refuseLink = (refusal: { reason: RefusalReason; field?: MessageField }): Refusal =>
  refuse(refusalText(refusal.reason, refusal.field));

/** Ends one of the owner's sessions; `sessionId` is unchecked page input. Also in a frozen account: signing out takes nothing. */
export async function endOneSession({ accountId }: Owner, sessionId: string): Promise<Answer> {
  const ended = await endSession(accountId, sessionId as SessionId);
  return ended ? { ok: true } : refuse("This session has already ended. Reload the page.");
}

/** Signs out everywhere, including here, and pauses all keys if that is wanted, in one commit. */
export async function endEverySession({ accountId }: Owner, { pausesKeys }: { pausesKeys: boolean }): Promise<void> {
  await inTransaction(async (transaction) => {
    await lockAccount(accountId, transaction); // first, as everybody who changes more than one row of it
    await endAllSessions(accountId, transaction);
    if (pausesKeys) await pauseAllKeys(accountId, transaction);
  });
}
