// Payments as their claims have them, signed by nobody: for tests of the books alone.

import { randomBytes } from "node:crypto";
import { type Hex, toHex } from "viem";
import { now } from "@/lib/base/clock";
import { fromCents } from "@/lib/base/money";
import type { PaymentTerms } from "../claims/claim";

/** Of an exact payment on Base over five cents, that counts for a minute. */
export const exactTerms = (wish: Partial<PaymentTerms> & { payer: Hex }): PaymentTerms => ({
  ...{ scheme: "exact_evm", network: "eip155:8453", nonce: toHex(randomBytes(32)), amount: fromCents(5), bodyHash: randomBytes(32) },
  ...{ accountId: null, keyId: null, idempotencyKey: null, validUntil: new Date(now().getTime() + 60_000), settlement: {} },
  ...wish,
});
