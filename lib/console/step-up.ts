// Step-up: an action that gives power away takes a linked wallet's signature over a plain text that names it, so that a stolen session
// cannot be turned into money. The signature is good for this one action, once, within five minutes.

import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { countAttempt, countChallenge } from "@/lib/access/challenge-limit";
import { giveChallenge, newNonce } from "@/lib/access/challenges";
import { findSigningAccountOf } from "@/lib/access/identities";
import { checkProof, type Proof } from "@/lib/access/proofs";
import { confirmSession, letSessionSpend } from "@/lib/access/sessions";
import { dateOf, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { pepper } from "@/lib/base/pepper";
import { isSameText } from "@/lib/base/same-text";
import { isSameWallet, readWallet, type Wallet } from "@/lib/chains/wallet";
import { listPayableWallets } from "@/lib/wallets/withdrawals/allowance";
import { frozenRefusal, refuse } from "./answer";
import { type Owner, shownWallet } from "./owner";
import { plainChallenge } from "./plain-challenge";
import { refusalText } from "./refusals";
import { walletForm } from "./settings-form";
import { proofSchema } from "./sign-in/auth-options";
import type { Answer, Refusal } from "./views/answer";
import type { PlainChallenge } from "./views/wallet";

export type { Proof };

const FRESH_MS = 15 * 60_000;

/** Whether this session's owner signed something lately, by signing in or since. */
export const isFresh = ({ confirmedAt }: Owner): boolean => nowMs() - confirmedAt.getTime() < FRESH_MS;

/** Whether this session's owner has signed that the playground may spend without a daily limit. Signing in says nothing of that. */
export const maySpendFreely = ({ spendsUntil }: Owner): boolean => spendsUntil !== null && spendsUntil.getTime() > nowMs();

/** The proof that the page sends back with the action. */
export const confirmationForm = proofSchema.nullish().transform((proof) => proof ?? null);

/** The page's wish to have a text signed: `seal` is ours, so that no other text is signed in our name. */
export const confirmationWish = z.strictObject({
  wallet: walletForm,
  statement: z.string().max(1_000),
  seal: z.string().max(100),
});

/** The text for a linked wallet to sign. */
export async function startConfirmation(
  owner: Owner,
  { wallet, statement, seal }: z.infer<typeof confirmationWish>,
): Promise<Answer<{ challenge: PlainChallenge }>> {
  if (!isSameText(seal, sealOf(owner, statement))) return refuse(refusalText("csrf"));
  const known = readWallet(wallet.chain, wallet.address);
  if (!known || (await findSigningAccountOf(known)) !== owner.accountId) return refuse(refusalText("not_linked"));
  if (await countChallenge(owner.accountId)) return refuse(refusalText("too_many_attempts"));
  const challenge = await giveChallenge({ purpose: "step_up", wallet: known, nonce: newNonce(), accountId: owner.accountId, statement });
  return { ok: true, challenge: plainChallenge(challenge) };
}

/**
 * Null when the proof signs exactly this statement; without a proof, the refusal that asks for one. `except` are wallets that cannot sign it.
 * Frozen accounts are the caller's business: they may still remove rights.
 */
export async function checkConfirmation(
  owner: Owner,
  statement: string,
  proof: Proof | null,
  except: readonly Wallet[] = [],
): Promise<Refusal | null> {
  if (!proof) {
    const confirm = { statement, seal: sealOf(owner, statement), except: except.map(shownWallet) };
    return { ...refuse("Confirm this with one of your wallets."), confirm };
  }
  if (await countAttempt(owner.accountId)) return refuse(refusalText("too_many_attempts"));
  const proved = await checkProof(proof, "step_up", owner.accountId);
  if (!proved.ok) return refuse(refusalText(proved.reason, "field" in proved ? proved.field : undefined));
  if (!proved.text.split("\n").includes(statement)) return refuse("The wallet signed another action. Try again.");
  if (except.some((one) => isSameWallet(one, proved.wallet))) return refuse(refusalText("wallet_excepted"));
  if ((await findSigningAccountOf(proved.wallet)) !== owner.accountId) return refuse(refusalText("not_linked"));
  await confirmSession(owner.sessionId, proved);
  return null;
}

/**
 * The wallets that were linked less than 24 hours ago. They sign nothing that decides about other wallets or loosens rules: a thief who
 * held a wallet for a minute, and linked their own with it, cannot take the account before its owner could hear of it.
 */
export const listNewWallets = async ({ accountId }: Owner): Promise<Wallet[]> =>
  (await listPayableWallets(accountId)).filter(({ payableFrom }) => payableFrom !== null);

/** Shows that the statement is ours and for this session. */
const sealOf = ({ sessionId }: Owner, statement: string): string =>
  createHmac("sha256", pepper()).update(`step-up ${sessionId} ${statement}`).digest("base64url");

/** A name as a statement can hold it: wallets parse the text, and only these characters are allowed in it. */
export const statementName = (name: string): string => name.replace(/[^A-Za-z0-9 ._~\-!$&'()*+,;=:@/?#]/gu, "?");

/** More than this nobody reads in a wallet. */
const MAX_NAMED_CHARACTERS = 300;

/** Entries as a statement names them; of a long list its length and the start of the SHA-256 of its lines, so that no other list has this text. */
export function statementList(entries: readonly string[], what: string): string {
  const all = statementName(entries.join(", "));
  if (all.length <= MAX_NAMED_CHARACTERS) return all;
  const digest = createHash("sha256").update(entries.join("\n")).digest("hex");
  return `${entries.length} ${what} (sha256 ${digest.slice(0, 16)})`;
}

/** Lets this session spend in the playground without a limit for a while, once a wallet has signed that. */
export async function confirmSpending(owner: Owner, proof: Proof | null): Promise<Answer> {
  if (owner.isFrozen) return frozenRefusal();
  const statement = `Spend from account ${owner.accountId} in the playground of ${config().SERVICE_NAME}, for ${FRESH_MS / 60_000} minutes without a daily limit.`;
  const refusal = await checkConfirmation(owner, statement, proof);
  if (refusal) return refusal;
  await letSessionSpend(owner.sessionId, dateOf(nowMs() + FRESH_MS));
  return { ok: true };
}
