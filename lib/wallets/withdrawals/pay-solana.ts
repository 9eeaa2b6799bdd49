// Payouts on Solana: one transaction of the treasury's for each. A second one is signed only when the first can never run.

import pg from "pg";
import { log } from "@/lib/base/observe/log";
import { findAccount } from "@/lib/chains/solana/accounts";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { readBlockhash } from "@/lib/chains/solana/transactions";
import { inTransaction } from "@/lib/db/pool";
import { sendStored } from "@/lib/relay/send";
import { storeSigned } from "@/lib/relay/signed";
import { signer } from "../signer";
import { deriveTokenAccount } from "../token-account";
import { failWithdrawal } from "./decisions";
import { relayIdOf, startAttempt } from "./steps";
import type { OpenWithdrawal } from "./withdrawal";

/**
 * Signs a payout, stores it and sends it.
 * @throws PayoutRefused, SolanaUnavailable; nothing is stored then
 */
export async function payOnSolana(withdrawal: OpenWithdrawal): Promise<void> {
  const { treasury, usdcMint } = signer();
  const nodes = solanaNodes();
  // Its rent is not ours to pay again and again: who closes the account after ordering is not paid into a new one.
  if (!withdrawal.opensAccount && !(await findAccount(nodes, deriveTokenAccount(withdrawal.destination, usdcMint)))) {
    log().info({ withdrawal: withdrawal.id }, "a destination closed its token account");
    await failWithdrawal(withdrawal.id, ["approved"], "The destination's account for USDC was closed.");
    return;
  }
  const recent = await readBlockhash(nodes);
  const { lastValidBlockHeight, slot } = recent;
  const { bytes, signature } = await signer().signPayoutOnSolana({ order: withdrawal, ...recent });
  const next = { id: withdrawal.id, attempt: withdrawal.attempt + 1 };
  const signed = { id: relayIdOf(next), bytes, signature, feePayer: treasury.solana, lastValidBlockHeight, slot };
  const isStored = await inTransaction(async (transaction) => {
    if (!(await startAttempt(next, null, transaction))) return false;
    await storeSigned(signed, transaction);
    return true;
  }).catch(isAlike);
  if (isStored) await sendStored(signed.id);
  else signer().dropPayout(withdrawal);
}

/** Two orders of one amount to one wallet are one transaction while they have one blockhash: the second waits for the next. */
function isAlike(error: unknown): false {
  if (error instanceof pg.DatabaseError && error.constraint === "relay_broadcast_pkey") return false;
  throw error;
}
