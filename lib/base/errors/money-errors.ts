// The errors of a request that cannot be paid.

import { z } from "zod";
import { amount, issues } from "./detail-fields";
import { BASE_URL, type ErrorRow } from "./error-row";
import { paymentReasonNames } from "./payment-reasons";

export const moneyErrors = {
  INSUFFICIENT_BALANCE: {
    status: 402,
    title: "Not enough USDC",
    when: "The request could cost more than your available balance. The model was not called. If your balance doesn't even cover the cheapest prompt, a body over 1 MiB is refused before it is read.",
    fix: "Deposit at least details.deficit (the minimum deposit is $1), or lower maxTokens to details.affordableMaxTokens.",
    retry: "after a deposit",
    openai: "insufficient_quota",
    anthropic: { type: "billing_error", status: null },
    headers: [],
    from: ["prompt", "count"],
    details: z.object({
      currentBalance: amount("Available balance in USD, without the funds reserved for running requests."),
      requiredBalance: amount("Maximum cost of this request, USD; of the cheapest prompt if the body was not read."),
      deficit: amount("requiredBalance minus currentBalance."),
      affordableMaxTokens: z.int().min(0).describe("The largest maxTokens that your balance covers; 0 if none."),
      depositUrl: z.url().describe("Where to deposit."),
    }),
    example: {
      error: "Insufficient balance: has $0.02, needs $0.0424",
      details: {
        currentBalance: 0.02,
        requiredBalance: 0.0424,
        deficit: 0.0224,
        affordableMaxTokens: 464,
        depositUrl: `${BASE_URL}/deposit`,
      },
    },
  },
  SPEND_CAP_REACHED: {
    status: 402,
    title: "The request could exceed the key's spending limit",
    when: "The request could exceed the key's remaining spending limit. The account's balance may still be sufficient.",
    fix: "Raise the key's spending limit in the console, use another key, or wait until details.resetsAt.",
    retry: "after details.resetsAt, or with a higher limit",
    openai: "insufficient_quota",
    anthropic: { type: "billing_error", status: null },
    headers: [],
    from: ["prompt"],
    details: z.object({
      cap: amount("The key's spending limit per period, USD."),
      spent: amount("Spent with this key in this period, USD, including the funds reserved for its running requests."),
      resetsAt: z.iso.datetime().nullable().describe("When the next period begins, UTC; null for a total limit."),
    }),
    example: {
      error: "This request could exceed the key's spending limit: $4.98 of $5.00 is spent or reserved",
      details: { cap: 5, spent: 4.98, resetsAt: "2026-12-01T00:00:00.000Z" },
    },
  },
  PAYMENT_VERIFICATION_FAILED: {
    status: 402,
    title: "The signed payment was not accepted",
    when: "The signed payment or x402 payment was not accepted. Unless the message says otherwise, no USDC has moved.",
    fix: "details.reason says why, and the message how to fix it. Unless the message says otherwise, no USDC has moved.",
    retry: "with a corrected payment",
    openai: "insufficient_quota",
    anthropic: { type: "billing_error", status: null },
    headers: [],
    from: ["prompt", "x402"],
    details: z.object({
      reason: z.enum(paymentReasonNames).describe(`One of ${paymentReasonNames.join(", ")}.`),
      requiredAmount: z.int().min(1).optional().describe("amount_too_low: the minimum to sign for this request, USDC cents."),
      minimumAmount: z.int().min(1).optional().describe("amount_too_low: the smallest payment this service accepts, USDC cents."),
      ceiling: amount("amount_too_low: the maximum cost of the request.").optional(),
      issues: issues.optional().describe("malformed: what is wrong, field by field."),
    }),
    example: {
      error: "The payment is 1 USDC cents, but this request can cost up to 5. Sign at least that",
      details: { reason: "amount_too_low", requiredAmount: 5, ceiling: 0.0424, minimumAmount: 1 },
    },
  },
  PAYMENT_REQUIRED: {
    status: 402,
    title: "Payment required",
    when: "A request to the x402 endpoint came without a payment, or the wallet's credit doesn't cover it. The PAYMENT-REQUIRED header contains the same requirements in x402's format.",
    fix: "Sign one of details.accepts and send the same request again with it in PAYMENT-SIGNATURE. x402 clients do this automatically.",
    retry: "with a payment",
    openai: "invalid_request_error",
    anthropic: { type: "invalid_request_error", status: null },
    headers: [],
    from: ["x402"],
    details: z.object({
      accepts: z
        .array(
          z.looseObject({
            network: z.string().describe("The network's CAIP-2 ID."),
            amount: z.string().describe("Minimum amount to sign, in base units of USDC."),
          }),
        )
        .describe("x402 payment requirements. Sign one of them."),
    }),
    example: {
      error: "Pay with x402: sign one of accepts and send the same request again with it in the PAYMENT-SIGNATURE header",
      details: {
        accepts: [
          {
            scheme: "exact",
            network: "eip155:8453",
            amount: "3584",
            asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
            maxTimeoutSeconds: 300,
            extra: { name: "USD Coin", version: "2", bodyHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
          },
        ],
      },
    },
  },
} as const satisfies Record<string, ErrorRow>;
