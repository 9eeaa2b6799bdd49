// What to do about a failed run that a wallet was to pay for, and whether the same payment may be sent again.

import type { RunProblem } from "../run";

/** By `details.reason` of PAYMENT_VERIFICATION_FAILED. */
const reasons: Readonly<Record<string, string>> = {
  malformed: "Sign it again.",
  bad_signature: "The signature does not match this wallet. Sign it again. A contract wallet must be deployed on Base.",
  expired: "The signature expired after five minutes. Sign it again.",
  replayed: "This payment was already used for another request. Sign a new one.",
  amount_too_low: "The prompt may cost more than you signed for. Sign it again.",
  network_unsupported: "Pay from a wallet on Base.",
  payer_mismatch: "This wallet belongs to another account. Use one of yours, or one that is not linked to any account.",
  allowance_too_low: "Approve more USDC for payments. Then sign again.",
  wallet_balance_too_low: "Add USDC to the wallet, or use another one. Then sign again.",
  settlement_failed: "Base rejected the payment. Check the wallet’s USDC and its allowance. Then sign again.",
};

/** Refused before the payment was read, so none of it is used up and nothing is pending. */
const refusedBefore = new Set(["signed_out", "stale_page", "foreign_origin", "INVALID_REQUEST", "INVALID_MODEL", "INVALID_API_KEY"]);

const nameOf = ({ code, reason }: RunProblem): string => code ?? reason;

/** The same payment with the same prompt pays only once, and may already have been taken. */
export const mayPayAgain = (problem: RunProblem): boolean =>
  nameOf(problem) !== "PAYMENT_VERIFICATION_FAILED" && !refusedBefore.has(nameOf(problem)) && problem.cost === null;

/** `otherwise` returns the advice for problems unrelated to the payment. */
export function cureOfPayment(problem: RunProblem, otherwise: (problem: RunProblem) => string): string {
  const name = nameOf(problem);
  if (name === "PAYMENT_VERIFICATION_FAILED") return `${reasons[problem.reason] ?? "Sign it again."} Nothing was taken from the wallet.`;
  if (name === "SETTLEMENT_PENDING") return "Send it again in a moment. You never pay twice.";
  if (!mayPayAgain(problem)) return otherwise(problem);
  return "Send it again. You never pay twice. If the payment went through without an answer, the money is still yours: see Pay per request.";
}
