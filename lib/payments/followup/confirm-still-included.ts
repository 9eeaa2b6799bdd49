// Decides whether a payment is gone from its chain for good, before its credit is taken back or the search for it ends. One node that does
// not show it proves nothing, since nodes lag and prune; while there is doubt, nothing changes.

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
 * True only when enough nodes agree, as of the final block of `head` and of the latest blocks: all that answer, and at least one besides
 * the first where others are configured.
 * @param head of Base; null while it is not known
 * @throws EvmFailure, SolanaUnavailable when no node answers
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
  // This request number was settled with another amount, and each number is settled only once.
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
  // Where nothing was credited one node's answer is enough: a log proves more than a missing log.
  return (await findUseOfShown(authorization, search))?.kind === "spent_otherwise";
}

/** A transaction can run only while its blockhash is valid, which is shorter than the claim's time. */
async function isTransactionGone(claim: PaymentClaim): Promise<boolean> {
  const { claimedAt: since, validUntil: until, transaction } = claim;
  await requireMemory(solanaNodes(), { since, until });
  if (transaction !== null && (await findIncludedAnywhere(solanaNodes(), transaction))) return false;
  return (await settlementStrategies.exact_svm.find(claim, "latest")) === null;
}
