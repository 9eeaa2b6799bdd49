// The receipt of one request for its drawer: what it cost, and how that was computed.

import { z } from "zod";
import { type AccountId, madeAtMs } from "@/lib/base/ids";
import type { WhenLeft } from "@/lib/base/when-left";
import type { ChargeReceipt, HoldReceipt } from "@/lib/ledger/receipt";
import { chainOfNetwork } from "@/lib/payments/claims/networks";
import { findPaidReceipt, type RequestPayment } from "@/lib/payments/claims/request-payment";
import { costLines } from "@/lib/providers/prices";
import { type KeyLabel, readKeyLabels } from "../keys/key-labels";
import { providerName } from "../models";
import type { ChargedRequestReceipt, CostLine, RequestOfKey, RequestReceipt } from "../views/receipts";

const requestIdText = z.string().regex(/^req_[0-9A-Za-z]{20}$/);

/** The receipt of this account's request; null for a malformed, unknown or foreign id: the caller must not learn which. */
export async function readReceipt(accountId: AccountId, requestId: unknown): Promise<RequestReceipt | null> {
  const parsed = requestIdText.safeParse(requestId);
  if (!parsed.success) return null;
  const paid = await findPaidReceipt(accountId, parsed.data);
  if (!paid) return null;
  const { receipt: found, keyId, payment } = paid;
  const labelOf = await readKeyLabels(accountId, [keyId]);
  const ofKey = requestOfKey(parsed.data, labelOf(keyId));
  return found.state === "charged"
    ? { ...ofKey, ...chargedReceipt(found), payment: shownPayment(payment) }
    : { ...ofKey, ...heldReceipt(found) };
}

const requestOfKey = (requestId: string, { text, isRevoked }: KeyLabel): RequestOfKey => ({
  requestId,
  startedAt: new Date(madeAtMs(requestId)),
  key: text,
  isKeyRevoked: isRevoked,
});

const shownPayment = (payment: RequestPayment | null): ChargedRequestReceipt["payment"] =>
  payment && {
    network: payment.network,
    chain: chainOfNetwork(payment.network),
    payer: payment.payer,
    amount: payment.amount,
    transaction: payment.transaction,
  };

const heldReceipt = ({ keyId: _, ...held }: HoldReceipt) => held;

function chargedReceipt({ keyId: _, prices, ...charge }: ChargeReceipt) {
  const lines = costLines(prices, charge).map((line): CostLine => ({ ...line, due: BigInt(line.tokens) * line.price }));
  const due = lines.reduce((sum, line) => sum + line.due, 0n);
  const cost = charge.inputCost + charge.outputCost;
  return { ...charge, provider: providerName(charge.provider), lines, due, cost, borne: due - cost, whenLeft: whenLeftOf(charge) };
}

/** The provider counts a stream that is read to its end; we count a stream that is cut. */
const whenLeftOf = ({ outcome, estimated }: Pick<ChargeReceipt, "outcome" | "estimated">): WhenLeft | null =>
  outcome === "cancelled" ? (estimated ? "cut" : "drained") : null;
