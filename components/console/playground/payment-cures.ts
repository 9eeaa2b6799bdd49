// What to do about a failed run that a wallet was to pay for, and whether the same payment may be sent again.

import type { RunProblem } from "./run";

/** By `details.reason` of PAYMENT_VERIFICATION_FAILED. */
const reasons: Readonly<Record<string, string>> = {
  malformed: "Sign it again.",
  bad_signature: "The signature is not this wallet's. Sign it again; a contract wallet must be deployed on Base.",
  expired: "More than five minutes passed before it was sent. Sign it again.",
  replayed: "This payment has paid for another request. Sign a new one.",
  amount_too_low: "The prompt can cost more than was signed. Sign it again.",
  network_unsupported: "Payments of this kind are settled on Base only.",
  payer_mismatch: "This wallet belongs to another account. Pay with one of your own, or with one that no account has.",
  allowance_too_low: "Approve more USDC for payments, then sign again.",
  wallet_balance_too_low: "Put USDC into the wallet, or use another one, then sign again.",
  settlement_failed: "The chain refused it. Look at the wallet's USDC and its allowance, then sign again.",
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
  if (name === "SETTLEMENT_PENDING") return "Send it again in a moment: it never pays twice.";
  if (!mayPayAgain(problem)) return otherwise(problem);
  return "Send it again: it never pays twice. If the payment was taken and no answer comes, its amount is yours, as Pay per request shows.";
}
