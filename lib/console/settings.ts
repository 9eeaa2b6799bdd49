// The owner's settings: wallets, sessions and the low-balance threshold.

import { readLowBalance, setLowBalance } from "@/lib/access/accounts";
import type { Challenge } from "@/lib/access/challenges";
import { listIdentities } from "@/lib/access/identities";
import type { Proof } from "@/lib/access/proofs";
import { endAllSessions, endSession, listSessions } from "@/lib/access/sessions";
import type { SessionId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { isSameWallet, readWallet, type Wallet } from "@/lib/chains/wallet";
import { frozenRefusal, refuse } from "./answer";
import { type Owner, shownWallet } from "./owner";
import { refusalText } from "./refusals";
import { deviceText } from "./sign-in/device";
import { linkWallet, startLink, unlinkWallet } from "./sign-in/link-wallet";
import type { Answer } from "./views/answer";
import type { OwnWallet, Settings } from "./views/settings";
import type { PlainChallenge } from "./views/wallet";

/** The current session first, then the most recently seen. */
export async function readSettings(owner: Owner): Promise<Settings> {
  const [wallets, sessions, lowBalance] = await Promise.all([
    listOwnWallets(owner),
    listSessions(owner.accountId),
    readLowBalance(owner.accountId),
  ]);
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
    lowBalance,
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

/** Below this available balance the console warns; null turns that off. */
export async function setOwnLowBalance({ accountId, isFrozen }: Owner, line: NanoUsd | null): Promise<Answer> {
  if (isFrozen) return frozenRefusal();
  await setLowBalance(accountId, line);
  return { ok: true };
}

/** Unlinks a wallet from the account. `signedOut`: the wallet had opened this session, which has ended too. */
export async function unlinkOwnWallet(owner: Owner, wallet: Wallet): Promise<Answer<{ signedOut: boolean }>> {
  const outcome = await unlinkWallet(owner, wallet);
  if (!outcome.ok) return refuse(refusalText(outcome.reason));
  const stored = readWallet(wallet.chain, wallet.address);
  return { ok: true, signedOut: stored !== null && isSameWallet(stored, owner.wallet) };
}

/** The two texts that link a wallet once they are signed. */
export async function startOwnLink(
  owner: Owner,
  wallets: { allow: Wallet; join: Wallet },
): Promise<Answer<{ allow: PlainChallenge; join: PlainChallenge }>> {
  const outcome = await startLink(owner, wallets);
  if (!outcome.ok) return refuse(refusalText(outcome.reason));
  return { ok: true, allow: plainChallenge(outcome.allow), join: plainChallenge(outcome.join) };
}

const plainChallenge = ({ signInInput, ...challenge }: Challenge): PlainChallenge => ({
  ...challenge,
  ...(signInInput && { signInInput: { ...signInInput } }),
});

export async function linkOwnWallet(owner: Owner, proofs: { allow: Proof; join: Proof }): Promise<Answer> {
  const outcome = await linkWallet(owner, proofs);
  if (outcome.ok) return outcome;
  const text = refusalText(outcome.reason, "field" in outcome ? outcome.field : undefined);
  // Two wallets have signed, so the message names the refused one.
  return refuse("wallet" in outcome ? `${outcome.wallet === "join" ? "New" : "Linked"} wallet: ${text}` : text);
}

/** Ends one of the owner's sessions; `sessionId` is unchecked page input. Also in a frozen account: signing out takes nothing. */
export async function endOneSession({ accountId }: Owner, sessionId: string): Promise<Answer> {
  const ended = await endSession(accountId, sessionId as SessionId);
  return ended ? { ok: true } : refuse("There is no such session: it has ended. Reload the page.");
}

/** Signs out everywhere, including here. */
export async function endEverySession({ accountId }: Owner): Promise<void> {
  await endAllSessions(accountId);
}
