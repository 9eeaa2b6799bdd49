// What a request is paid for: its ceiling in whole units of USDC, no less than the operator's minimum, and no more than what x402's own
// clients pay without being told to.

import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import { formatUsd, fromUsdcUnits, type NanoUsd, parseUsd, ZERO_USD } from "@/lib/base/money";
import type { Price } from "@/lib/payments/x402/network";
import type { GatewayRequest } from "../http/request";
import { hashRequest } from "../prompt/idempotency";
import { affordableMaxTokens, type Quote } from "../prompt/quote";

const MOST = parseUsd("1");
/** nano-USD of one base unit of USDC. */
export const NANO_PER_UNIT = fromUsdcUnits(1n);

/** The most that is ever asked for, in base units of USDC. */
export const MAX_UNITS = MOST / NANO_PER_UNIT;

const LIVE_MINIMUM = parseUsd("0.01");

/** The least that is ever asked for: a payment's own fee is to be earned. */
export function leastPrice(): NanoUsd {
  const { X402_MINIMUM_USD: set, MODE } = config();
  return set ?? (MODE === "live" ? LIVE_MINIMUM : ZERO_USD);
}

/** @throws AppError INVALID_REQUEST above 1 USD, with the `maxTokens` that 1 USD does for */
export function readPrice(request: GatewayRequest, quote: Quote): Price {
  const { ceiling } = quote;
  if (ceiling > MOST) throw aboveMost(quote);
  const [units, least] = [(ceiling + NANO_PER_UNIT - 1n) / NANO_PER_UNIT, leastPrice() / NANO_PER_UNIT];
  return { units: units > least ? units : least, bodyHash: hashRequest(request).toString("hex") };
}

function aboveMost(quote: Quote): AppError {
  const affordable = affordableMaxTokens(MOST, quote);
  const cure = affordable > 0 ? `lower maxTokens to ${affordable}` : "shorten the prompt";
  const [ceiling, most] = [formatUsd(quote.ceiling), formatUsd(MOST)];
  const text = `allows an answer of up to ${ceiling}, and x402 pays up to ${most}; ${cure}, or pay from a balance at /api/v1/prompt`;
  return new AppError("INVALID_REQUEST", {
    message: `maxTokens: ${text}`,
    details: {
      issues: [{ path: "maxTokens", message: text }],
      reason: "above_x402_maximum",
      ceiling: quote.ceiling,
      maximum: MOST,
      affordableMaxTokens: affordable,
    },
  });
}
