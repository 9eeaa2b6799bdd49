// Reasons why a payment that a wallet signed moves no money on its chain, and the phrase for each, written once: in the list of payments
// and in alerts.

export const paymentFailures = {
  expired: "it expired",
  allowance_too_low: "the allowance was too low",
  wallet_balance_too_low: "the wallet did not have enough USDC",
  bad_signature: "the signature did not match the wallet",
  settlement_failed: "it could not be settled on its network",
} as const;

export type SettleFailure = keyof typeof paymentFailures;
