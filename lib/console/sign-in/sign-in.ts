// Signing in with a wallet. The first time creates everything an owner has, account, wallet and ledger account, in one transaction; ten
// simultaneous sign-ins of one wallet still open one account. Credit that its payments left at its address moves to the account.

import { createAccount, reopenAccount } from "@/lib/access/accounts";
import { countAttempt, countChallenge } from "@/lib/access/challenge-limit";
import { type Challenge, giveChallenge, newNonce } from "@/lib/access/challenges";
import { addIdentity, findAccountOf, findSigningAccountOf, lockWallet } from "@/lib/access/identities";
import { checkProof, type Proof, type ProofRefusal } from "@/lib/access/proofs";
import { countOpenedSince, endSessionOfToken, openSession } from "@/lib/access/sessions";
import { areSignUpsUsual, countSignUp } from "@/lib/access/sign-ups";
import { DAY_MS, dateOf, nowMs } from "@/lib/base/clock";
import { isAppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { readWallet, type Wallet, type WalletChain } from "@/lib/chains/wallet";
import { setActor } from "@/lib/db/acting";
import { inTransaction, type Transaction } from "@/lib/db/prisma";
import { openCustomerAccount } from "@/lib/ledger/accounts";
import { openWallet } from "@/lib/wallets/custody/custodial-wallet";
import { claimCreditOf } from "./claim-credit";

/** The browser that signs in, as its session's owner will recognize it. */
export interface Browser {
  userAgent: string;
  clientAddress: string;
  /** The session cookie that the browser had; that session ends. */
  sessionToken?: string;
}

/** Of one wallet within 24 hours: each leaves a row and entries of the log, which are kept for ever. */
const MOST_SIGN_INS = 200;

type ChallengeOutcome =
  | { ok: true; challenge: Challenge }
  | { ok: false; reason: "address_invalid" }
  | { ok: false; reason: "too_many_attempts"; retryAfterMs: number };

/** Creates a sign-in challenge for a wallet. */
export async function startSignIn(wallet: { chain: WalletChain; address: string }, clientAddress: string): Promise<ChallengeOutcome> {
  const known = readWallet(wallet.chain, wallet.address);
  if (!known) return { ok: false, reason: "address_invalid" };
  const limited = await countChallenge(clientAddress);
  if (limited) return { ok: false, reason: "too_many_attempts", ...limited };
  return { ok: true, challenge: await giveChallenge({ purpose: "sign_in", wallet: known, nonce: newNonce() }) };
}

type SignInRefusal =
  | ProofRefusal
  | { reason: "too_many_attempts" }
  /** The wallet had MOST_SIGN_INS within 24 hours. */
  | { reason: "too_many_sign_ins" }
  /** The wallet is new here, and the client's network has opened its accounts of today. */
  | { reason: "too_many_accounts"; retryAfterMs: number }
  /** The wallet is new here, and no addresses are free for its account. */
  | { reason: "no_addresses" };

type SignInOutcome = { ok: true; accountId: AccountId; token: string } | ({ ok: false } & SignInRefusal);

/**
 * Signs in; `token` is the new session's cookie. Into a frozen account too, and with a wallet that is leaving its account: such a session
 * sees everything and only takes power away (`Owner.isFrozen`), so that of two wallets a thief's cannot shut the owner's out.
 */
export async function signIn(proof: Proof, browser: Browser): Promise<SignInOutcome> {
  if (await countAttempt(browser.clientAddress)) return { ok: false, reason: "too_many_attempts" };
  const proved = await checkProof(proof, "sign_in", null);
  if (!proved.ok) return proved;
  setActor({ kind: "wallet", ...proved.wallet });
  try {
    return { ok: true, ...(await enter(proved.wallet, browser)) };
  } catch (error) {
    if (error instanceof NoAddresses) return { ok: false, reason: "no_addresses" };
    if (error instanceof TooManySignIns) return { ok: false, reason: "too_many_sign_ins" };
    if (error instanceof TooManyAccounts) return { ok: false, reason: "too_many_accounts", retryAfterMs: error.retryAfterMs };
    throw error;
  }
}

async function enter(wallet: Wallet, browser: Browser): Promise<{ accountId: AccountId; token: string }> {
  const entered = await inTransaction(async (transaction) => {
    await lockWallet(wallet, transaction);
    const known = await findAccountOf(wallet, transaction);
    const accountId = known ?? (await openAccount(wallet, browser, transaction));
    if (known) await checkSignIns(known, wallet, transaction);
    if (known) await reopenAccount(known, transaction);
    if (browser.sessionToken) await endSessionOfToken(browser.sessionToken, "replaced", transaction);
    const { token } = await openSession({ ...browser, accountId, wallet }, transaction);
    return { accountId, token, isNew: known === null };
  });
  if (entered.isNew) await reportSignUp();
  // A wallet that is leaving receives nothing here, and gives nothing either.
  if ((await findSigningAccountOf(wallet)) === entered.accountId) await claimCreditOf(wallet, entered.accountId);
  return entered;
}

/** The account is open: a failure here is no reason to refuse it. */
async function reportSignUp(): Promise<void> {
  metrics().signUps.inc();
  await areSignUpsUsual().catch((error: unknown) => log().error({ err: error }, "the rate of sign-ups could not be read"));
}

class TooManySignIns extends Error {}

/** @throws TooManySignIns */
async function checkSignIns(accountId: AccountId, wallet: Wallet, transaction: Transaction): Promise<void> {
  const opened = await countOpenedSince(dateOf(nowMs() - DAY_MS), accountId, wallet, transaction);
  if (opened >= MOST_SIGN_INS) throw new TooManySignIns();
}

/** Rolls back the opening of an account. */
class TooManyAccounts extends Error {
  constructor(readonly retryAfterMs: number) {
    super("This network has opened its accounts of 24 hours.");
  }
}

/** Rolls back the opening of an account. */
class NoAddresses extends Error {}

/**
 * Creates an owner's account and ledger account, with their first wallet. The caller has locked the wallet.
 * @throws TooManyAccounts; NoAddresses when none is free, or the next one is not the signer's
 */
async function openAccount(wallet: Wallet, { clientAddress }: Browser, transaction: Transaction): Promise<AccountId> {
  const limited = await countSignUp(clientAddress, transaction);
  if (limited) throw new TooManyAccounts(limited.retryAfterMs);
  const accountId = await createAccount(undefined, transaction);
  await addIdentity(accountId, wallet, true, transaction);
  await openCustomerAccount(accountId, transaction);
  await openWallet(accountId, transaction).catch((error: unknown) => {
    throw isAppError(error) ? new NoAddresses(error.message, { cause: error }) : error;
  });
  return accountId;
}
