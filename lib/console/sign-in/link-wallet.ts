// The wallets of an account. A new one is linked when two wallets sign: one that the account already has, so that a stolen
// session is not enough, and the new one, so that nobody links a wallet that is not theirs.

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
  /** It is one of this account's already. */
  | { reason: "already_linked" }
  /** It owns another account. */
  | { reason: "linked_elsewhere" }
  /** The wallet that shall allow it is none of the account's. */
  | { reason: "not_linked" };

type StartLinkOutcome =
  | { ok: true; allow: Challenge; join: Challenge }
  | ({ ok: false } & LinkRefusal)
  | { ok: false; reason: "too_many_challenges"; retryAfterMs: number };

/** Asks for the two signatures that link `join`: `allow` is the linked wallet that will sign the other one. */
export async function startLink(owner: Owner, wallets: { allow: NamedWallet; join: NamedWallet }): Promise<StartLinkOutcome> {
  const { accountId } = owner;
  if (owner.isFrozen) return { ok: false, reason: "account_frozen" };
  const [allow, join] = [readWallet(wallets.allow.chain, wallets.allow.address), readWallet(wallets.join.chain, wallets.join.address)];
  if (!allow || !join) return { ok: false, reason: "address_invalid" };
  if ((await findAccountOf(allow)) !== accountId) return { ok: false, reason: "not_linked" };
  // Whether it owns another account is told only to whoever proves to hold it: else anybody could ask who is here.
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
 * Links the wallet that signed `join`; what its payments left at its address becomes the account's. Both challenges are used up,
 * whatever comes of it; `wallet` says whose proof was refused.
 */
export async function linkWallet(owner: Owner, proofs: { allow: Proof; join: Proof }): Promise<LinkOutcome> {
  const { accountId } = owner;
  if (owner.isFrozen) return { ok: false, reason: "account_frozen" };
  const allowed = await checkProof(proofs.allow, "link_allow", accountId);
  const joined = await checkProof(proofs.join, "link_join", accountId);
  if (!allowed.ok) return { ...allowed, wallet: "allow" };
  if (!joined.ok) return { ...joined, wallet: "join" };
  // Each text was given out with the other one: what was allowed is this wallet and no other.
  if (allowed.pair !== proofs.join.nonce) return { ok: false, reason: "nonce_unknown", wallet: "join" };
  const linked = await inTransaction<LinkOutcome>(async (transaction) => {
    // In one order, or two that link each other's wallets would wait for each other for ever.
    for (const wallet of [allowed.wallet, joined.wallet].sort((a, b) => (a.address < b.address ? -1 : 1))) {
      await lockWallet(wallet, transaction);
    }
    // It may have been unlinked since it was asked to sign.
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
 * Takes a wallet from the account, but not its last one, and no money with it. Sessions that were opened with it end, this one too.
 * From a frozen account as well: it may have been stolen.
 */
export async function unlinkWallet(owner: Owner, wallet: NamedWallet): Promise<UnlinkOutcome> {
  const known = readWallet(wallet.chain, wallet.address);
  if (!known) return { ok: false, reason: "not_linked" };
  return inTransaction(async (transaction) => {
    // Nobody signs in with it meanwhile: that session would outlive it.
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
