// Whether a payment is nowhere on its chain, for good: asked before a credit is taken back, and before nothing more is looked for. That
// one node shows nothing is no answer, since a node lags, or prunes; as long as there is doubt, everything stays as it is.

import { findUseOfShown, isSpentOtherwise } from "@/lib/chains/evm/authorized-transfer";
import type { Block } from "@/lib/chains/evm/blocks";
import { readFinalState, readLatestStates } from "@/lib/chains/evm/final-state";
import type { Head } from "@/lib/chains/evm/head";
import { settledCentsOf } from "@/lib/chains/evm/settled";
import { isAuthorizationUsedAnywhere, readSettledAuthorization } from "@/lib/chains/evm/token-state";
import { requireMemory } from "@/lib/chains/solana/gone";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { findIncludedAnywhere } from "@/lib/chains/solana/transactions";
import type { PaymentClaim } from "../claims/claim";
import { readProof } from "../settlement/settle-proof";
import { settlementStrategies } from "../settlement/strategies";
import { readKeptAuthorization } from "../x402/evm";

/**
 * True only when as many nodes say so as have to, as of the final block of `head`, and of the latest blocks: all that answer, and one
 * beside the first where others are set.
 * @param head of Base; null while it is not known
 * @throws EvmFailure, SolanaUnavailable when no node tells
 */
export async function isGone(claim: PaymentClaim, head: Head | null): Promise<boolean> {
  if (claim.scheme === "exact_svm") return isTransactionGone(claim);
  if (head === null || head.doubt !== null) return false;
  return claim.scheme === "proof" ? isProofGone(claim, head.finalized) : isAuthorizationGone(claim, head.finalized);
}

async function isProofGone(claim: PaymentClaim, final: Block): Promise<boolean> {
  const proof = await readProof(claim);
  const settledCents = settledCentsOf(proof.contract, proof);
  const cents = await readFinalState(settledCents, final);
  if (cents === null || cents === proof.cents) return false;
  // Another amount was settled of this request number, which has one only.
  if (cents > 0n) return true;
  return (await readLatestStates(settledCents)).every((latest) => latest === 0n);
}

async function isAuthorizationGone({ settlement, claimedAt, state }: PaymentClaim, final: Block): Promise<boolean> {
  const { authorization } = readKeptAuthorization(settlement);
  const { from, nonce } = authorization;
  const isUsed = await readSettledAuthorization(from, nonce, final);
  if (isUsed === null) return false;
  if (!isUsed) return !(await isAuthorizationUsedAnywhere(from, nonce));
  const search = { shownAtMs: claimedAt.getTime(), toBlock: final.number };
  if (state === "paid") return isSpentOtherwise(authorization, search);
  // Where nothing was credited one node's word is enough: a log is more than silence.
  return (await findUseOfShown(authorization, search))?.kind === "spent_otherwise";
}

/** A transaction can run for as long as its blockhash lasts, which is shorter than the claim's time. */
async function isTransactionGone(claim: PaymentClaim): Promise<boolean> {
  const { claimedAt: since, validUntil: until, transaction } = claim;
  await requireMemory(solanaNodes(), { since, until });
  if (transaction !== null && (await findIncludedAnywhere(solanaNodes(), transaction))) return false;
  return (await settlementStrategies.exact_svm.find(claim, "latest")) === null;
}
