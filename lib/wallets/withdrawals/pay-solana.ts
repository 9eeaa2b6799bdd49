// Payouts on Solana: one transaction of the treasury's for each. A second one is signed only when the first can never run.

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
  const { blockhash, lastValidBlockHeight, slot } = await readBlockhash(nodes);
  const { bytes, signature } = await signer().signPayoutOnSolana({ order: withdrawal, blockhash });
  const next = { id: withdrawal.id, attempt: withdrawal.attempt + 1 };
  const signed = { id: relayIdOf(next), bytes, signature, feePayer: treasury.solana, lastValidBlockHeight, slot };
  const isStored = await inTransaction(async (transaction) => {
    if (!(await startAttempt(next, null, transaction))) return false;
    await storeSigned(signed, transaction);
    return true;
  });
  if (isStored) await sendStored(signed.id);
}
