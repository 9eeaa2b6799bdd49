// The wallets of an account. Linking a new one takes two signatures: of a wallet that the account already has, so that a stolen session
// is not enough, and of the new wallet, so that only its holder can link it.

import { countChallenge } from "@/lib/access/challenge-limit";
import { type Challenge, giveChallenge, newNonce } from "@/lib/access/challenges";
import { addIdentity, findAccountOf, lockWallet, removeIdentity } from "@/lib/access/identities";
import { checkProof, type Proof, type ProofRefusal } from "@/lib/access/proofs";
import { endSessionsOf } from "@/lib/access/sessions";
import { displayAddress, readWallet } from "@/lib/chains/wallet";
import { inTransaction } from "@/lib/db/prisma";
import type { Owner } from "../owner";
import type { NamedWallet } from "../views/wallet";
import { claimCreditOf } from "./claim-credit";

type LinkRefusal =
  | { reason: "account_frozen" }
  | { reason: "address_invalid" }
  /** This account already has the wallet. */
  | { reason: "already_linked" }
  /** The wallet owns another account. */
  | { reason: "linked_elsewhere" }
  /** The approving wallet is not linked to the account. */
  | { reason: "not_linked" };

type StartLinkOutcome =
  | { ok: true; allow: Challenge; join: Challenge }
  | ({ ok: false } & LinkRefusal)
  | { ok: false; reason: "too_many_challenges"; retryAfterMs: number };

/** Creates the two challenges that link `join`; `allow` is the linked wallet that approves. */
export async function startLink(owner: Owner, wallets: { allow: NamedWallet; join: NamedWallet }): Promise<StartLinkOutcome> {
  const { accountId } = owner;
  if (owner.isFrozen) return { ok: false, reason: "account_frozen" };
  const [allow, join] = [readWallet(wallets.allow.chain, wallets.allow.address), readWallet(wallets.join.chain, wallets.join.address)];
  if (!allow || !join) return { ok: false, reason: "address_invalid" };
  if ((await findAccountOf(allow)) !== accountId) return { ok: false, reason: "not_linked" };
  // Only its holder learns whether a wallet owns another account: otherwise anyone could probe who is registered.
  if ((await findAccountOf(join)) === accountId) return { ok: false, reason: "already_linked" };
  const limited = await countChallenge(accountId);
  if (limited) return { ok: false, reason: "too_many_challenges", ...limited };

  const [allowNonce, joinNonce] = [newNonce(), newNonce()];
  return inTransaction(async (transaction) => ({
    ok: true,
    allow: await giveChallenge(
      { purpose: "link_allow", wallet: allow, nonce: allowNonce, accountId, pair: joinNonce, joining: displayAddress(join) },
      transaction,
    ),
    join: await giveChallenge({ purpose: "link_join", wallet: join, nonce: joinNonce, accountId, pair: allowNonce }, transaction),
  }));
}

type LinkOutcome = { ok: true } | ({ ok: false } & LinkRefusal) | ({ ok: false; wallet: "allow" | "join" } & ProofRefusal);

/**
 * Links the wallet that signed `join`; the credit at its address moves to the account. Both challenges are used up in any case;
 * `wallet` says whose proof was refused.
 */
export async function linkWallet(owner: Owner, proofs: { allow: Proof; join: Proof }): Promise<LinkOutcome> {
  const { accountId } = owner;
  if (owner.isFrozen) return { ok: false, reason: "account_frozen" };
  const allowed = await checkProof(proofs.allow, "link_allow", accountId);
  const joined = await checkProof(proofs.join, "link_join", accountId);
  if (!allowed.ok) return { ...allowed, wallet: "allow" };
  if (!joined.ok) return { ...joined, wallet: "join" };
  // Each text was issued together with the other: the approval is for this wallet and no other.
  if (allowed.pair !== proofs.join.nonce) return { ok: false, reason: "nonce_unknown", wallet: "join" };
  const linked = await inTransaction<LinkOutcome>(async (transaction) => {
    // In a fixed order: two requests that link each other's wallets would otherwise deadlock.
    for (const wallet of [allowed.wallet, joined.wallet].sort((a, b) => (a.address < b.address ? -1 : 1))) {
      await lockWallet(wallet, transaction);
    }
    // The wallet may have been unlinked since its challenge was issued.
    if ((await findAccountOf(allowed.wallet, transaction)) !== accountId) return { ok: false, reason: "not_linked" };
    const owned = await findAccountOf(joined.wallet, transaction);
    if (owned) return { ok: false, reason: owned === accountId ? "already_linked" : "linked_elsewhere" };
    await addIdentity(accountId, joined.wallet, false, transaction);
    return { ok: true };
  });
  if (linked.ok) await claimCreditOf(joined.wallet, accountId);
  return linked;
}

type UnlinkOutcome = { ok: true } | { ok: false; reason: "not_linked" | "last_wallet" };

/**
 * Unlinks a wallet from the account, but not its last one; no money moves. Sessions opened with it end, including this one.
 * Works for a frozen account as well: the wallet may have been stolen.
 */
export async function unlinkWallet(owner: Owner, wallet: NamedWallet): Promise<UnlinkOutcome> {
  const known = readWallet(wallet.chain, wallet.address);
  if (!known) return { ok: false, reason: "not_linked" };
  return inTransaction(async (transaction) => {
    // Prevents a concurrent sign-in with it: that session would outlive the wallet.
    await lockWallet(known, transaction);
    const outcome = await removeIdentity(owner.accountId, known, transaction);
    if (outcome !== "removed") return { ok: false, reason: outcome === "last" ? "last_wallet" : "not_linked" };
    await endSessionsOf(owner.accountId, known, transaction);
    return { ok: true };
  });
}

/** Whether this wallet, as a browser names it, is one of the owner's. */
export async function isLinked({ accountId }: Owner, wallet: NamedWallet): Promise<boolean> {
  const known = readWallet(wallet.chain, wallet.address);
  return known !== null && (await findAccountOf(known)) === accountId;
}
