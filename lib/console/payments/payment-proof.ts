// The payment that a playground wallet signs: the service sets its number and its time, so that a browser's clock does not matter.

import { randomBytes } from "node:crypto";
import { getAddress } from "viem";
import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { proofText } from "@/lib/chains/evm/settlement";
import { readWallet } from "@/lib/chains/wallet";
import { findSettlementTerms } from "@/lib/payments/settlement/settlement-terms";
import { frozenRefusal, refuse } from "../answer";
import type { Owner } from "../owner";
import type { Answer } from "../views/answer";
import type { DrawnPayment } from "../views/payments";

/** More than any prompt costs. */
const MAX_CENTS = 100_000_000;

export const drawnPaymentForm = z.strictObject({ from: z.string().max(64), cents: z.int().min(1).max(MAX_CENTS) });

/** Drafts a payment; nothing is stored, and no money moves before it is signed and sent. */
export async function drawPayment(
  owner: Owner,
  { from, cents }: z.infer<typeof drawnPaymentForm>,
): Promise<Answer<{ payment: DrawnPayment }>> {
  if (owner.isFrozen) return frozenRefusal();
  const wallet = readWallet("evm", from);
  if (!wallet) return refuse("That is not a valid Ethereum address.");
  if (cents < config().PAYMENT_MINIMUM_CENTS) return refuse("That is below the minimum payment.");
  const terms = await findSettlementTerms();
  if (!terms) return refuse("Wallet payments are not available right now.");
  const requestNumber = newRequestNumber();
  const timestamp = nowMs();
  const text = proofText(terms.serviceName, { requestNumber, cents: BigInt(cents), timestampMs: BigInt(timestamp) });
  return {
    ok: true,
    payment: { from: getAddress(wallet.address), requestId: `req_${requestNumber}`, amount: cents, timestamp, network: "base", text },
  };
}

const NUMBER_BYTES = 8;

/** Unique among a payer's payments: 64 random bits. */
const newRequestNumber = (): bigint => BigInt(`0x${randomBytes(NUMBER_BYTES).toString("hex")}`);

/** Whether a text is a payment to this service, in exactly the format that wallets sign. */
export function isProofText(text: string): boolean {
  const [heading, ...lines] = text.split("\n");
  return (
    heading === `${config().SERVICE_NAME} Payment` && lines.length === forms.length && lines.every((line, at) => forms[at]?.test(line))
  );
}

const forms: readonly RegExp[] = [
  /^Request ID: req_(0|[1-9][0-9]{0,30})$/,
  /^Amount: [1-9][0-9]{0,15} USDC cents$/,
  /^Timestamp: [1-9][0-9]{0,15}$/,
];
