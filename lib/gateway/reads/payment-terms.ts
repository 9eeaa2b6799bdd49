// GET /api/v1/payment-terms: the text that a wallet signs to pay for a request directly, where the money goes, and the contract that moves
// it. All of it can be read from the chain as well; it needs no key.

import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { writeJson } from "@/lib/base/json";
import { processSingleton } from "@/lib/base/process-singleton";
import { publicUrl } from "@/lib/base/public-url";
import { hasCode } from "@/lib/chains/evm/balances";
import { baseChainId } from "@/lib/chains/evm/base";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { type SettlementTerms, settlementAddress } from "@/lib/chains/evm/settlement";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { evmNetwork, solanaNetwork } from "@/lib/payments/claims/networks";
import { findSettlementTerms } from "@/lib/payments/settlement/settlement-terms";
import { endpoint, jsonReply } from "../http/endpoint";
import type { PaymentTerms } from "../openapi/answers/payment";
import { MAX_PROOF_AGE_MS, proofNetworks } from "../proof/proof";

export const paymentTerms = endpoint("payment-terms", async (request) => {
  const terms = evmNodeUrls().length > 0 ? await findSettlementTerms() : null;
  const body: PaymentTerms = {
    serviceName: config().SERVICE_NAME,
    message: messageLines(config().SERVICE_NAME),
    minimumAmount: config().PAYMENT_MINIMUM_CENTS,
    maxAgeMs: MAX_PROOF_AGE_MS,
    networks: terms === null ? [] : [await networkBody(terms)],
    x402: { version: 2, scheme: "exact", endpoint: `${publicUrl()}/api/v1/x402/prompt`, networks: x402Networks() },
  };
  return jsonReply(request, 200, writeJson(body));
});

/** Joined by line feeds, without one at the end. */
export const messageLines = (serviceName: string): readonly string[] => [
  `${serviceName} Payment`,
  "Request ID: <requestId>",
  "Amount: <amount> USDC cents",
  "Timestamp: <timestamp>",
];

async function networkBody(terms: SettlementTerms): Promise<PaymentTerms["networks"][number]> {
  const { usdc, treasury, relayer } = terms;
  const settlementContract = settlementAddress(terms);
  return {
    network: evmNetwork(),
    names: proofNetworks,
    chainId: baseChainId(),
    settlementContract,
    isDeployed: await isDeployed(settlementContract),
    usdc,
    treasury,
    relayer,
  };
}

const x402Networks = (): string[] => [
  ...(evmNodeUrls().length > 0 ? [evmNetwork()] : []),
  ...(solanaCluster().urls.length > 0 ? [solanaNetwork()] : []),
];

const CHECK_EVERY_MS = 5_000;

/** A deployed contract stays. Until then the chain is checked at an interval, not for every request. */
const seen = processSingleton("settlement contract seen", () => ({ address: "", isThere: null as boolean | null, checkedAtMs: -Infinity }));

/** Null when no node answers. */
async function isDeployed(address: SettlementTerms["usdc"]): Promise<boolean | null> {
  const known = seen();
  if (known.address !== address) Object.assign(known, { address, isThere: null, checkedAtMs: -Infinity });
  if (known.isThere === true || nowMs() - known.checkedAtMs < CHECK_EVERY_MS) return known.isThere;
  known.checkedAtMs = nowMs();
  try {
    known.isThere = await hasCode(address);
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    known.isThere = null;
  }
  return known.isThere;
}
