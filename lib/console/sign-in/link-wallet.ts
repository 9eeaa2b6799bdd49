// The wallets of an account. Linking a new one takes two signatures: first of the new wallet alone, since facts about it are told to its
// holder only; then of a wallet that the account already has, so that a stolen session is not enough. A new wallet may have an account of
// its own: it is absorbed if it was never used, and otherwise stays as it is.

import { countChallenge } from "@/lib/access/challenge-limit";
import { type Challenge, giveChallenge, newNonce } from "@/lib/access/challenges";
import {
  addIdentity,
  findAccountOf,
  findSigningAccountOf,
  letIdentityLeave,
  listLeft,
  lockWallet,
  removeIdentity,
} from "@/lib/access/identities";
import { checkProof, type Proof, type ProofRefusal } from "@/lib/access/proofs";
import { endSessionsOf } from "@/lib/access/sessions";
import { DAY_MS, dateOf, now, nowMs } from "@/lib/base/clock";
import { forEachIsolated } from "@/lib/base/for-each-isolated";
import type { AccountId } from "@/lib/base/ids";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import { actAs, inTransaction, type Transaction } from "@/lib/db/prisma";
import type { Owner } from "../owner";
import type { NamedWallet } from "../views/wallet";
import { type AbsorbRefusal, absorb, findAbsorbRefusal } from "./absorb";
import { claimCreditOf } from "./claim-credit";

type LinkRefusal =
  | { reason: "account_frozen" }
  | { reason: "address_invalid" }
  /** This account already has the wallet. */
  | { reason: "already_linked" }
  /** The approving wallet is not linked to the account. */
  | { reason: "not_linked" }
  /** The joining wallet has another account now than when it signed. */
  | { reason: "joining_changed" }
  /** The joining wallet has an account of its own, which cannot be absorbed. */
  | AbsorbRefusal;

type StartOutcome =
  | { ok: true; join: Challenge }
  | ({ ok: false } & LinkRefusal)
  | { ok: false; reason: "too_many_attempts"; retryAfterMs: number };

/** Creates the challenge for the wallet that joins. It says nothing about that wallet's own account. */
export async function startLink(owner: Owner, wallet: NamedWallet): Promise<StartOutcome> {
  const { accountId } = owner;
  if (owner.isFrozen) return { ok: false, reason: "account_frozen" };
  const joining = readWallet(wallet.chain, wallet.address);
  if (!joining) return { ok: false, reason: "address_invalid" };
  if ((await findAccountOf(joining)) === accountId) return { ok: false, reason: "already_linked" };
  const limited = await countChallenge(accountId);
  if (limited) return { ok: false, reason: "too_many_attempts", ...limited };
  return { ok: true, join: await giveChallenge({ purpose: "link_join", wallet: joining, nonce: newNonce(), accountId }) };
}

type JoinOutcome =
  /** `absorbs`: the joining wallet's own account, which was never used. */
  { ok: true; allow: Challenge; absorbs: AccountId | null } | ({ ok: false } & (LinkRefusal | ProofRefusal));

/** Takes the joining wallet's signature, and creates the challenge for the linked wallet that approves it, `allow`. */
export async function proveJoin(owner: Owner, { join, allow }: { join: Proof; allow: NamedWallet }): Promise<JoinOutcome> {
  const { accountId } = owner;
  if (owner.isFrozen) return { ok: false, reason: "account_frozen" };
  const allowing = readWallet(allow.chain, allow.address);
  if (!allowing || (await findSigningAccountOf(allowing)) !== accountId) return { ok: false, reason: "not_linked" };
  const proved = await checkProof(join, "link_join", accountId);
  if (!proved.ok) return proved;
  const { wallet: joining } = proved;
  const owned = await findAccountOf(joining);
  if (owned === accountId) return { ok: false, reason: "already_linked" };
  const refusal = owned && (await findAbsorbRefusal({ accountId: owned, wallet: joining }));
  if (refusal) return { ok: false, ...refusal };
  const purpose = { purpose: "link_allow", accountId, joining, absorbs: owned } as const;
  return { ok: true, allow: await giveChallenge({ ...purpose, wallet: allowing, nonce: newNonce() }), absorbs: owned };
}

type LinkOutcome = { ok: true } | ({ ok: false } & (LinkRefusal | ProofRefusal));

/**
 * Links the wallet that the approval names, and absorbs the account that it names; the credit at the wallet's address moves to the account.
 * The challenge is used up in any case.
 */
export async function linkWallet(owner: Owner, proof: Proof): Promise<LinkOutcome> {
  const { accountId } = owner;
  if (owner.isFrozen) return { ok: false, reason: "account_frozen" };
  const allowed = await checkProof(proof, "link_allow", accountId);
  if (!allowed.ok) return allowed;
  const { wallet, joining, absorbs } = allowed;
  if (!joining) throw new Error("an approval names no wallet that joins"); // the table's check constraint prevents it
  const refusal = await inTransaction((transaction) => join({ accountId, wallet, joining, absorbs }, transaction));
  if (refusal) return { ok: false, ...refusal };
  await claimCreditOf(joining, accountId);
  return { ok: true };
}

interface Approval {
  accountId: AccountId;
  /** The wallet that approves. */
  wallet: Wallet;
  joining: Wallet;
  absorbs: AccountId | null;
}

async function join({ accountId, wallet, joining, absorbs }: Approval, transaction: Transaction): Promise<LinkRefusal | null> {
  // In a fixed order: two requests that link each other's wallets would otherwise deadlock.
  for (const one of [wallet, joining].sort((a, b) => (a.address < b.address ? -1 : 1))) await lockWallet(one, transaction);
  // Both wallets may have changed hands since the challenge was issued.
  if ((await findSigningAccountOf(wallet, transaction)) !== accountId) return { reason: "not_linked" };
  const owned = await findAccountOf(joining, transaction);
  if (owned === accountId) return { reason: "already_linked" };
  if (owned !== absorbs) return { reason: "joining_changed" };
  const refusal = owned && (await absorb({ accountId: owned, wallet: joining }, accountId, transaction));
  if (refusal) return refusal;
  await addIdentity(accountId, joining, false, transaction);
  return null;
}

/** Between the wish to unlink a wallet and its end: the wallet's holder hears of the wish, and can have it kept. */
const LEAVING_MS = DAY_MS;

/**
 * Lets a wallet leave the account in 24 hours, unless none would stay; until then it signs nothing and receives nothing. Its sessions end
 * now. Works for a frozen account as well: the wallet may have been stolen.
 */
export async function startUnlinking(owner: Owner, wallet: NamedWallet): Promise<UnlinkOutcome> {
  const known = readWallet(wallet.chain, wallet.address);
  if (!known) return { ok: false, reason: "not_linked" };
  return inTransaction(async (transaction) => {
    await lockWallet(known, transaction);
    const outcome = await letIdentityLeave(owner.accountId, known, dateOf(nowMs() + LEAVING_MS), transaction);
    if (outcome !== "leaving") return { ok: false, reason: outcome === "last" ? "last_wallet" : "not_linked" };
    await endSessionsOf(owner.accountId, known, transaction);
    return { ok: true };
  });
}

/** Unlinks the wallets whose 24 hours are over, in accounts that are open. A job runs it. */
export async function unlinkLeft(): Promise<void> {
  const by = now();
  const left = (await listLeft(by)).map((one) => ({ ...one, id: one.wallet.address }));
  await forEachIsolated(left, ({ accountId, wallet }) => unlinkWallet({ accountId }, wallet, by), { what: "wallet" });
}

type UnlinkOutcome = { ok: true } | { ok: false; reason: "not_linked" | "last_wallet" };

/**
 * Unlinks a wallet from the account at once, but not its last one; no money moves. Sessions opened with it end. The job says `leftBy` when
 * its time must have come.
 */
export async function unlinkWallet(owner: Pick<Owner, "accountId">, wallet: NamedWallet, leftBy?: Date): Promise<UnlinkOutcome> {
  const known = readWallet(wallet.chain, wallet.address);
  if (!known) return { ok: false, reason: "not_linked" };
  return inTransaction(async (transaction) => {
    if (leftBy) await actAs({ kind: "job", job: "unlink-left-wallets" }, transaction);
    // Prevents a concurrent sign-in with it: that session would outlive the wallet.
    await lockWallet(known, transaction);
    const outcome = await removeIdentity(owner.accountId, known, transaction, leftBy);
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
