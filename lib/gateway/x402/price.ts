// The x402 price of a request: its ceiling in whole units of USDC, at least the operator's minimum, and at most what x402's own clients pay
// without further configuration.

import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import { formatUsd, fromUsdcUnits, type NanoUsd, parseUsd, ZERO_USD } from "@/lib/base/money";
import type { Price } from "@/lib/payments/x402/network";
import type { GatewayRequest } from "../http/request";
import { hashRequest } from "../prompt/idempotency";
import { affordableMaxTokens, type Quote } from "../prompt/quote";

const MAX_PRICE = parseUsd("1");
/** nano-USD of one base unit of USDC. */
export const NANO_PER_UNIT = fromUsdcUnits(1n);

/** The highest price that is ever requested, in base units of USDC. */
export const MAX_UNITS = MAX_PRICE / NANO_PER_UNIT;

const LIVE_MINIMUM = parseUsd("0.01");

/** The lowest price that is ever requested: it should cover a payment's own fee. */
export function leastPrice(): NanoUsd {
  const { X402_MINIMUM_USD: set, MODE } = config();
  return set ?? (MODE === "live" ? LIVE_MINIMUM : ZERO_USD);
}

/** @throws AppError INVALID_REQUEST above 1 USD, with the `maxTokens` that 1 USD covers */
export function readPrice(request: GatewayRequest, quote: Quote): Price {
  const { ceiling } = quote;
  if (ceiling > MAX_PRICE) throw aboveMost(quote);
  const [units, least] = [(ceiling + NANO_PER_UNIT - 1n) / NANO_PER_UNIT, leastPrice() / NANO_PER_UNIT];
  return { units: units > least ? units : least, bodyHash: hashRequest(request).toString("hex") };
}

function aboveMost(quote: Quote): AppError {
  const affordable = affordableMaxTokens(MAX_PRICE, quote);
  const cure = affordable > 0 ? `lower maxTokens to ${affordable}` : "shorten the prompt";
  const [ceiling, most] = [formatUsd(quote.ceiling), formatUsd(MAX_PRICE)];
  const text = `allows a cost of up to ${ceiling}, but x402 payments are limited to ${most}; ${cure}, or pay from a balance at /api/v1/prompt`;
  return new AppError("INVALID_REQUEST", {
    message: `maxTokens: ${text}`,
    details: {
      issues: [{ path: "maxTokens", message: text }],
      reason: "above_x402_maximum",
      ceiling: quote.ceiling,
      maximum: MAX_PRICE,
      affordableMaxTokens: affordable,
    },
  });
}
