// Why a payment on Solana would fail, or failed, as a reason of the API.

import { solanaNodes } from "@/lib/chains/solana/nodes";
import type { PaymentTransaction } from "@/lib/chains/solana/payment-transaction";
import { isBlockhashKnown } from "@/lib/chains/solana/simulation";
import { readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import type { AttemptOutcome, Refusal } from "./settlement-strategy";

const MAX_WORDS = 100;

/** @param why the nodes' name of the error. @throws SolanaUnavailable */
export async function explainTrial(transaction: PaymentTransaction, why: string): Promise<AttemptOutcome> {
  if (why === "BlockhashNotFound") {
    // The simulating node may be behind the node that issued the blockhash.
    if (await isBlockhashKnown(solanaNodes(), transaction.blockhash)) return { kind: "unknown" };
    return { kind: "refused", reason: "expired", message: "The transaction's blockhash expired. Sign a new one" };
  }
  // It is in a block that is not confirmed yet.
  if (why === "AlreadyProcessed") return { kind: "unknown" };
  const reason = await explainBalance(transaction);
  return {
    kind: "refused",
    ...(reason ?? { reason: "settlement_failed", message: `The transaction would fail: ${why.slice(0, MAX_WORDS)}` }),
  };
}

/** Null when it is not the payer's balance. @throws SolanaUnavailable */
export async function explainBalance({ from, units }: PaymentTransaction): Promise<Refusal | null> {
  const { value } = await readTokenAccounts(solanaNodes(), [from], "confirmed");
  const [account] = value;
  if (account?.isFrozen) return { reason: "settlement_failed", message: "The wallet's USDC is frozen" };
  if (account && account.units >= units) return null;
  return { reason: "wallet_balance_too_low", message: "The wallet does not have enough USDC" };
}
