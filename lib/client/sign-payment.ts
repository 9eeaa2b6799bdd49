// A payment for one request, signed by a wallet: its text comes from the service's terms, and its wallet is anything that can sign a text.

import type { Payment, PaymentTerms } from "./types";

export interface PaymentToSign {
  /** The paying wallet. */
  from: string;
  /** USDC cents; a quote's `paymentCents` is enough. */
  amount: number;
  /** Signs a text as `personal_sign` does. */
  sign: (text: string) => string | Promise<string>;
  /** `req_` and a number that this wallet has not used; random by default. */
  requestId?: string;
  /** Unix milliseconds; now by default. */
  timestamp?: number;
}

/**
 * Signs a payment of `amount`, good once, for the first request that it is sent with. Send the same object again when an answer is lost.
 * @throws Error when the service settles no signed payments; any error of `sign`
 */
export async function signPayment(
  terms: PaymentTerms,
  { from, amount, sign, requestId = `req_${randomNumber()}`, timestamp = Date.now() }: PaymentToSign,
): Promise<Payment> {
  const network = terms.networks[0]?.names[0];
  if (network === undefined) throw new Error("This service settles no signed payments: pay from the balance, or by x402");
  const values: Record<string, string> = { requestId, amount: `${amount}`, timestamp: `${timestamp}` };
  const text = terms.message.map((line) => line.replace(/<(\w+)>/g, (_, name: string) => values[name] ?? "")).join("\n");
  return { from, amount, signature: await sign(text), timestamp, requestId, network };
}

/** 96 random bits, as a decimal number. */
function randomNumber(): bigint {
  return crypto.getRandomValues(new Uint32Array(3)).reduce((number, word) => (number << 32n) | BigInt(word), 0n);
}
