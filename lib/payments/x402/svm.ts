// x402's scheme "exact" on Solana: the payer signs a transaction whose fee another key pays, and whose memo names the request. It is
// checked here as strictly as by the key that signs it for the fee.

import { nowMs } from "@/lib/base/clock";
import { fromUsdcUnits } from "@/lib/base/money";
import { type PaymentTerms, readPaymentTransaction } from "@/lib/chains/solana/payment-transaction";
import { solanaKey } from "@/lib/chains/wallet";
import { solanaNetwork } from "../claims/networks";
import { findFacilitatedExtra, isFacilitated } from "./facilitator";
import type { PaymentRefusal, Price, ReadPayment, SignedPayment, X402Network } from "./network";
import { isMemoOf, newMemo } from "./svm-memo";
import { readSvmPayload, writeSvmSettlement } from "./svm-payload";
import { findReadiness } from "./svm-readiness";
import { findSvmTerms } from "./svm-terms";
import type { PaymentPayload, PaymentRequirements } from "./wire";

/** A blockhash lasts 150 blocks: a minute, or a bit more. */
const VALID_SECONDS = 60;
/** No node runs the transaction this long after it arrived. */
const MAX_VALID_MS = 150_000;

/** The network of this service's Solana cluster. */
export const svmNetwork = (): X402Network => ({
  scheme: "exact_svm",
  network: solanaNetwork(),
  amountMismatch: "invalid_exact_svm_payload_amount_mismatch",
  findRequirements,
  findFormerRequirements,
  read,
  verify: async () => ({ kind: "good" }), // `read` accepts only the payer's signature
  checkTime: () => null, // only the nodes know a blockhash's age: the simulation checks it
});

async function findRequirements(price: Price): Promise<PaymentRequirements | null> {
  const own = await findSvmTerms();
  const feePayer = own && (await findFeePayer(solanaNetwork(), own.feePayer));
  if (!own || !feePayer) return null;
  const terms = { ...own, feePayer };
  const readiness = await findReadiness(terms);
  if (!readiness) return null;
  const { blockhash } = readiness;
  const requirements = requirementsOf(price, terms);
  // With it the stock client need not fetch one from a node.
  const known = blockhash && { recentBlockhash: blockhash.blockhash, lastValidBlockHeight: `${blockhash.lastValidBlockHeight}` };
  return { ...requirements, extra: { ...requirements.extra, memo: newMemo(price.bodyHash), ...known } };
}

/** For when the fee payer has run out of SOL, or the facilitator does not answer or has another fee payer by now. */
async function findFormerRequirements(price: Price, { extra }: PaymentPayload["accepted"]): Promise<PaymentRequirements | null> {
  const own = await findSvmTerms();
  const feePayer = extra?.feePayer;
  return own && typeof feePayer === "string" ? requirementsOf(price, { ...own, feePayer }) : null;
}

const requirementsOf = ({ units, bodyHash }: Price, { feePayer, mint, payTo }: PaymentTerms): PaymentRequirements => ({
  scheme: "exact",
  network: solanaNetwork(),
  amount: `${units}`,
  asset: mint,
  payTo,
  maxTimeoutSeconds: VALID_SECONDS,
  extra: { feePayer, bodyHash },
});

const refused = (reason: PaymentRefusal["reason"], errorReason: string, message: string) =>
  ({ kind: "refused", refusal: { reason, errorReason, message } }) as const;

function read(payload: Readonly<Record<string, unknown>>, { asset: mint, payTo, extra }: PaymentRequirements): ReadPayment {
  const { feePayer = "", bodyHash = "" } = extra;
  const bytes = readSvmPayload(payload);
  if (bytes === null)
    return refused("malformed", "invalid_exact_svm_payload_transaction", "payload.transaction is not a base64-encoded transaction");
  const result = readPaymentTransaction(bytes, { feePayer, mint, payTo });
  if (result.kind === "refused") {
    return result.isForged
      ? refused("bad_signature", "invalid_exact_svm_payload_signature_invalid", `The transaction is not accepted: ${result.why}`)
      : refused("malformed", "invalid_exact_svm_payload_transaction", `The transaction is not accepted: ${result.why}`);
  }
  const { transaction } = result;
  if (!isMemoOf(transaction.memo, bodyHash)) {
    const message = "The transaction's memo belongs to a different request";
    return refused("malformed", "invalid_exact_svm_payload_memo_mismatch", message);
  }
  const payment: SignedPayment = {
    payer: transaction.payer,
    // Not the payer's signature, since a payer can make many over one message: the chain runs a message once.
    nonce: transaction.messageHash,
    amount: fromUsdcUnits(transaction.units),
    validUntil: new Date(nowMs() + MAX_VALID_MS),
    settlement: writeSvmSettlement({ bytes, feePayer }),
  };
  return { kind: "read", payment };
}

/** Our own key, or an outside facilitator's where one settles there; null while that does not name it. */
async function findFeePayer(network: string, ownFeePayer: string): Promise<string | null> {
  if (!(await isFacilitated(network))) return ownFeePayer;
  const { feePayer } = (await findFacilitatedExtra(network)) ?? {};
  return typeof feePayer === "string" && solanaKey(feePayer) ? feePayer : null;
}
