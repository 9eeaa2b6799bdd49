// The contract that a browser's wallet approves to take USDC: this service's settlement contract, once it is deployed.

import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";
import { hasCode } from "@/lib/chains/evm/balances";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { settlementAddress } from "@/lib/chains/evm/settlement";
import { findSettlementTerms } from "@/lib/payments/settlement/settlement-terms";
import { findEvmUsdc } from "../deposit/send-targets";
import type { PaymentsOffer } from "../views/payments";

/** Contracts found on the chain; a deployed contract never disappears. */
const seen = processSingleton<Set<string>>("settlement contracts seen", () => new Set());

/** Whether a wallet can pay for requests here. @throws Error when the settings and the database name different treasuries */
export async function findPaymentsOffer(): Promise<PaymentsOffer> {
  const [usdc, terms] = [findEvmUsdc(), await findSettlementTerms()];
  if (!usdc || !terms) return { kind: "none" };
  const contract = settlementAddress(terms);
  if (!seen().has(contract)) {
    if (!(await isThere(contract))) return { kind: "coming" };
    seen().add(contract);
  }
  return { kind: "open", target: { ...usdc, contract }, minimumCents: config().PAYMENT_MINIMUM_CENTS };
}

async function isThere(contract: `0x${string}`): Promise<boolean> {
  try {
    return await hasCode(contract);
  } catch (error) {
    if (isEvmFailure(error)) return false; // the page shows it as pending, and asks again
    throw error;
  }
}
