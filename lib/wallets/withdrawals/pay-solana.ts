// Payouts on Solana: one treasury transaction each. A second one is signed only when the first can never run, and none when the chain shows
// a payment that the database does not know.

import { log } from "@/lib/base/observe/log";
import { findAccount } from "@/lib/chains/solana/accounts";
import { findByMemo, isListedByEnough, type MemoQuery } from "@/lib/chains/solana/memo-search";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { findIncludedAnywhere } from "@/lib/chains/solana/transactions";
import { readTokenChange } from "@/lib/chains/solana/usdc";
import { sendStored } from "@/lib/relay/send";
import { storeSigned } from "@/lib/relay/signed";
import { signer } from "../custody/signer";
import { failWithdrawal } from "./decisions";
import { delayWithdrawal, finishForgotten, relayIdOf, startAttempt } from "./steps";
import type { OpenWithdrawal } from "./withdrawal";

/**
 * Signs a payout, stores it and sends it. False when nothing was stored.
 * @throws PayoutRefused, SolanaUnavailable, SignerUnavailable; nothing is stored then
 */
export async function payOnSolana(withdrawal: OpenWithdrawal): Promise<boolean> {
  const { treasury, usdcMint } = signer();
  const nodes = solanaNodes();
  if (await wasPaidOnSolana(withdrawal)) return false;
  // We do not pay the account's rent again and again: an owner who closes the account after ordering is not paid into a new one.
  if (!withdrawal.opensAccount && !(await findAccount(nodes, deriveTokenAccount(withdrawal.destination, usdcMint)))) {
    log().info({ withdrawal: withdrawal.id }, "a withdrawal's destination closed its token account");
    await failWithdrawal(withdrawal.id, ["approved"], "The destination's USDC account was closed.");
    return false;
  }
  const relayId = relayIdOf({ id: withdrawal.id, attempt: withdrawal.attempt + 1 });
  const isStored = await startAttempt(withdrawal, async (transaction) => {
    const signed = await signer().signPayoutOnSolana(withdrawal);
    await storeSigned({ id: relayId, feePayer: treasury.solana, ...signed }, transaction);
    return null;
  });
  if (isStored) await sendStored(relayId);
  return isStored;
}

/**
 * After a database restore: whether any node shows an unsigned withdrawal as paid. It is booked once that is final.
 * @throws SolanaUnavailable when not every node answers
 */
export async function wasPaidOnSolana(withdrawal: OpenWithdrawal): Promise<boolean> {
  const paidBy = await findPayment(withdrawal);
  if (paidBy !== null) await bookForgotten(withdrawal, paidBy);
  return paidBy !== null;
}

/** Where the treasury's payment of an order is listed: at its token account, under the order's nonce. */
function paymentQuery({ nonce, issuedAt }: OpenWithdrawal): MemoQuery {
  const { treasury, usdcMint } = signer();
  return { account: deriveTokenAccount(treasury.solana, usdcMint), memo: nonce, since: issuedAt };
}

/**
 * The treasury's transaction that paid an order, found by its memo; null when every node reports none. Anybody can write a memo, so only a
 * transaction that reduced the treasury counts.
 * @throws SolanaUnavailable
 */
async function findPayment(withdrawal: OpenWithdrawal): Promise<string | null> {
  const [nodes, query, mint] = [solanaNodes(), paymentQuery(withdrawal), signer().usdcMint];
  for (const signature of await findByMemo(nodes, query)) {
    const change = await readTokenChange(nodes, signature, { tokenAccount: query.account, mint, commitment: "confirmed" });
    if (change && change.after < change.before) return signature;
  }
  return null;
}

/** The order was paid, and is booked once that is final. One node's word delays it, and books nothing. */
async function bookForgotten(withdrawal: OpenWithdrawal, transaction: string): Promise<void> {
  const nodes = solanaNodes();
  const isPaid =
    (await findIncludedAnywhere(nodes, transaction))?.isFinal === true &&
    (await isListedByEnough(nodes, paymentQuery(withdrawal), transaction));
  if (!isPaid || !(await finishForgotten(withdrawal, transaction))) return delayWithdrawal(withdrawal, "chain");
  log().error(
    { withdrawal: withdrawal.id, transaction },
    "this withdrawal was already paid; the database had been rolled back and is now corrected",
  );
}
