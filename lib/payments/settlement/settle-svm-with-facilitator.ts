// Payments on Solana whose fee an outside facilitator pays: it signs and sends them. Its answers are not trusted: only the very message
// that the payer signed, in a block of the chain, counts.

import { findByMemo } from "@/lib/chains/solana/memo-search";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import type { PaymentTransaction } from "@/lib/chains/solana/payment-transaction";
import { readSentMessage } from "@/lib/chains/solana/sent-message";
import { tryTransaction } from "@/lib/chains/solana/simulation";
import { findIncludedAnywhere } from "@/lib/chains/solana/transactions";
import type { PaymentClaim } from "../claims/claim";
import { findSettlement } from "../followup/find-settlement";
import { type FacilitatorOrder, requestSettlement } from "../x402/facilitator";
import { X402_VERSION } from "../x402/wire";
import type { KeptPayment } from "./kept-svm-payment";
import type { AttemptOutcome, SettledAt } from "./settlement-strategy";
import { explainTrial } from "./svm-trial";

const LOOK_EVERY_MS = 250;
const LOOKS_AFTER_YES = 12;
const LOOKS_AFTER_NO = 1;

/** @throws SolanaUnavailable */
export async function settleWithFacilitator(claim: PaymentClaim, kept: KeptPayment): Promise<AttemptOutcome> {
  const before = await findElsewhere(claim, kept.transaction, "latest");
  if (before) return { kind: "found", ...before };
  const { value: why } = await tryTransaction(solanaNodes(), kept.bytes);
  if (why !== null) return explainTrial(kept.transaction, why);
  const answer = await requestSettlement(orderOf(claim, kept));
  const looks = answer.kind === "yes" ? LOOKS_AFTER_YES : LOOKS_AFTER_NO;
  const after = await findSettlement(() => findElsewhere(claim, kept.transaction, "latest"), { looks, everyMs: LOOK_EVERY_MS });
  if (after) return { kind: "found", ...after };
  // A settlement that it reports, or began, may still come into a block.
  if (answer.kind !== "no" || /pending|duplicate/i.test(answer.reason)) return { kind: "unknown" };
  return { kind: "refused", reason: "settlement_failed", message: `The payment failed: ${answer.reason}` };
}

/** Of the payer's own newest transactions, one answer of a node: so many are looked through, although they ran before the claim. */
const MIN_ENTRIES = 1_000;

/**
 * Finds the payer's message in a block, from any sender, in the list of the payer's own account, which is short. After a database was
 * restored from a backup it may have run before its claim. The memo finds candidates; since anybody can write it into another transaction,
 * the message itself is compared.
 * @throws SolanaUnavailable
 */
export async function findElsewhere(
  { claimedAt }: PaymentClaim,
  { from, memo, message }: PaymentTransaction,
  as: "latest" | "final",
): Promise<SettledAt | null> {
  const nodes = solanaNodes();
  for (const signature of await findByMemo(nodes, { account: from, memo, since: claimedAt, minEntries: MIN_ENTRIES })) {
    const sent = await readSentMessage(nodes, signature);
    if (!sent || !Buffer.from(message).equals(sent)) continue;
    const included = await findIncludedAnywhere(nodes, signature);
    if (included && (as === "latest" || included.isFinal)) return { transaction: signature, block: included.slot };
  }
  return null;
}

function orderOf({ network }: PaymentClaim, { bytes, terms, transaction }: KeptPayment): FacilitatorOrder {
  const paymentRequirements = {
    scheme: "exact",
    network,
    amount: `${transaction.units}`,
    asset: terms.mint,
    payTo: terms.payTo,
    maxTimeoutSeconds: 60,
    extra: { feePayer: terms.feePayer, memo: transaction.memo },
  };
  const payload = { transaction: bytes.toString("base64") };
  return { paymentPayload: { x402Version: X402_VERSION, accepted: paymentRequirements, payload }, paymentRequirements };
}
