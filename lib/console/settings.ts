// The owner's settings: wallets and sessions.

import { listIdentities } from "@/lib/access/identities";
import { pauseAllKeys } from "@/lib/access/keys";
import type { Proof } from "@/lib/access/proofs";
import { endAllSessions, endSession, listSessions } from "@/lib/access/sessions";
import type { SessionId } from "@/lib/base/ids";
import type { MessageField } from "@/lib/chains/sign-in-message";
import { isSameWallet, readWallet, type Wallet } from "@/lib/chains/wallet";
import { inTransaction } from "@/lib/db/prisma";
import { refuse } from "./answer";
import { type Owner, shownWallet } from "./owner";
import { plainChallenge } from "./plain-challenge";
import { type RefusalReason, refusalText } from "./refusals";
import { deviceText } from "./sign-in/device";
import { linkWallet, proveJoin, startLink, unlinkWallet } from "./sign-in/link-wallet";
import type { Answer, Refusal } from "./views/answer";
import type { OwnWallet, Settings } from "./views/settings";
import type { PlainChallenge } from "./views/wallet";

/** The current session first, then the most recently seen. */
export async function readSettings(owner: Owner): Promise<Settings> {
  const [wallets, sessions] = await Promise.all([listOwnWallets(owner), listSessions(owner.accountId)]);
  return {
    wallets,
    sessions: sessions
      .map(({ sessionId, userAgent, wallet, clientAddress, createdAt, lastSeenAt }) => ({
        ...{ sessionId, clientAddress, createdAt, lastSeenAt },
        device: deviceText(userAgent),
        wallet: shownWallet(wallet),
        isCurrent: sessionId === owner.sessionId,
      }))
      .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent)),
  };
}

/** The account's wallets, oldest first. */
export async function listOwnWallets(owner: Owner): Promise<OwnWallet[]> {
  return (await listIdentities(owner.accountId)).map(({ wallet, linkedAt, isFirst }) => ({
    ...shownWallet(wallet),
    linkedAt,
    isFirst,
    isCurrent: isSameWallet(wallet, owner.wallet),
  }));
}

/** Unlinks a wallet from the account. `signedOut`: the wallet had opened this session, which has ended too. */
export async function unlinkOwnWallet(owner: Owner, wallet: Wallet): Promise<Answer<{ signedOut: boolean }>> {
  const outcome = await unlinkWallet(owner, wallet);
  if (!outcome.ok) return refuse(refusalText(outcome.reason));
  const stored = readWallet(wallet.chain, wallet.address);
  return { ok: true, signedOut: stored !== null && isSameWallet(stored, owner.wallet) };
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
    await endAllSessions(accountId, transaction);
    if (pausesKeys) await pauseAllKeys(accountId, transaction);
  });
}
