// Payments as their claims store them, without a signature: for tests of the books alone.

import { randomBytes } from "node:crypto";
import { type Hex, toHex } from "viem";
import { now } from "@/lib/base/clock";
import { fromCents } from "@/lib/base/money";
import type { PaymentTerms } from "../claims/claim";

/** Terms of an exact payment on Base of five cents, valid for a minute. */
export const exactTerms = (wish: Partial<PaymentTerms> & { payer: Hex }): PaymentTerms => ({
  scheme: "exact_evm",
  network: "eip155:8453",
  nonce: toHex(randomBytes(32)),
  amount: fromCents(5),
  bodyHash: randomBytes(32),
  accountId: null,
  keyId: null,
  idempotencyKey: null,
  identifier: null,
  validUntil: new Date(now().getTime() + 60_000),
  settlement: {},
  ...wish,
});
