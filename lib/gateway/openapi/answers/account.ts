// The answers about an account: its balance, its deposits, its usage, and the receipt of one request.

import { z } from "zod";
import { chainIds } from "@/lib/base/chains";
import { cost } from "@/lib/base/errors/detail-fields";
import * as field from "./fields";
import { receiptPayment } from "./payment";

export const balance = z.object({
  balance: field.usd("The account's balance, including reserved funds."),
  held: field.usd("Funds reserved for running requests."),
  available: field.usd("balance minus held: what new requests can spend."),
  currency: field.currency,
  wallet: z
    .object({
      base: z.string().nullable().describe("Your address on Base; null if this service does not accept deposits on Base."),
      solana: z.string().nullable().describe("Your address on Solana; null if this service does not accept deposits on Solana."),
    })
    .nullable()
    .describe("Your deposit addresses. null until your first sign-in."),
  withdrawals: z
    .array(
      z.object({
        id: z.string().describe("Identifies this withdrawal."),
        chain: z.enum(chainIds).describe("The chain it is paid on."),
        amount: field.usd("The amount that arrives at the destination."),
        fee: field.usd("The fee. Amount and fee are deducted from your balance."),
        state: z
          .enum(["awaiting_approval", "approved", "signed", "sent", "confirmed"])
          .describe(
            "awaiting_approval: waiting for manual approval. approved: paid next, or see waitsFor. From signed on, it can no longer be cancelled.",
          ),
        waitsFor: z
          .enum(["funds", "chain", "reserves", "frozen", "limit", "signature", "signer", "fees", "approval", "waiting_time", "wallet"])
          .nullable()
          .describe(
            "Why an approved withdrawal is not signed yet; null if it is paid next. funds: USDC is being moved to that chain. chain: the chain does not respond. reserves: reserves are too low. frozen: the account is frozen. limit: the service has reached its 24-hour limit. signature: the signature is no longer valid. signer: signing is paused. fees: the budget for network fees is used up for now. approval: it needs manual approval. waiting_time: the delay you set has not passed. wallet: the chain does not confirm the signature of a contract wallet.",
          ),
        ahead: z
          .int()
          .min(0)
          .nullable()
          .describe("How many withdrawals are ahead of this one while it waits for the service's 24-hour limit; null otherwise."),
      }),
    )
    .describe("Your withdrawals that are not final yet, oldest first. Their amounts are no longer part of your balance."),
});

export type Balance = field.AnswerOf<typeof balance>;

export const deposit = z.object({
  id: z.string().describe("Identifies this deposit. Stays the same if the transaction moves to another block."),
  chain: z.enum(chainIds).describe("The chain of the deposit."),
  state: z
    .enum(["seen", "confirming", "credited", "below_minimum", "reversed"])
    .describe(
      "seen: in the newest block. confirming: waiting for confirmations. credited: part of your balance. below_minimum: credited once the uncredited deposits at its address add up to the minimum. reversed: the chain dropped the transaction.",
    ),
  amount: field.usd("Amount of USDC received."),
  address: z.string().describe("Your deposit address that received it."),
  transaction: z.string().describe("The transaction's hash on Base, its signature on Solana."),
  transactionUrl: z.url().nullable().describe("The transaction in a block explorer; null if there is none, as in a sandbox."),
  block: field.count("The block on Base, the slot on Solana."),
  confirmations: field.count("Confirmations so far, up to neededConfirmations."),
  neededConfirmations: z.int().min(1).describe("Estimated number of confirmations needed before it is credited. It varies with the chain."),
  isFinal: z.boolean().describe("Final: the chain can no longer undo it."),
  seenAt: field.time.describe("When this service first saw it."),
  creditedAt: field.time.nullable().describe("When it was credited; null before."),
  reversedAt: field.time.nullable().describe("When it was reversed; null unless it was."),
});

export const depositPage = z.object({
  rows: z.array(deposit).describe("Deposits, newest first."),
  nextCursor: z.string().nullable().describe("Send it as cursor to get the next page. null on the last page."),
});

export type DepositPage = field.AnswerOf<typeof depositPage>;

export const chargedRequest = z.object({
  requestId: field.requestId,
  at: field.time.describe("When it finished and was charged."),
  model: field.modelName,
  keyId: field.keyId,
  usage: field.usageInParts,
  cost,
  outcome: field.outcome,
  streamed: field.streamed,
});

const sums = {
  requests: field.count("Number of requests."),
  usage: field.usageInParts,
  cost,
};

const group = z.object({
  day: z.iso.date().optional().describe("The day, UTC, if grouped by day."),
  model: z.string().optional().describe("The model's ID, if grouped by model."),
  keyId: z.string().nullable().optional().describe("The key's ID, if grouped by key."),
  ...sums,
});

export const usagePage = z.object({
  from: field.time.describe("Start of the period."),
  to: field.time.describe("End of the period, exclusive."),
  groupBy: z.array(z.enum(["day", "model", "key"])).describe("How rows are grouped; empty for one row per request."),
  rows: z.union([z.array(chargedRequest), z.array(group)]).describe("Requests or groups, newest first."),
  totals: z.object(sums).describe("Totals of the whole period, on every page."),
  nextCursor: z.string().nullable().describe("Send it as cursor to get the next page. null on the last page."),
});

export type UsageGroup = field.AnswerOf<typeof group>;
export type UsagePage = field.AnswerOf<typeof usagePage>;

export const charged = z.object({
  requestId: field.requestId,
  state: z.literal("charged").describe("charged, or in_progress while it runs."),
  at: field.time.describe("When it finished and was charged; while it runs, when it started."),
  model: field.modelName,
  provider: z.string().describe("The ID of the provider that ran the model."),
  keyId: field.keyId,
  usage: field.usageInParts,
  cost,
  priceVersion: field.priceVersion,
  pricing: field.pricePerToken,
  costByKind: field.costByKind,
  outcome: field.outcome,
  estimated: z.boolean().describe("true if the provider did not report all token counts and we used our own for the rest."),
  streamed: field.streamed,
  firstTokenMs: z.int().min(0).nullable().describe("Milliseconds until the provider's first token; null if unknown."),
  providerMs: field.count("Milliseconds spent at the provider."),
  paidBy: z.string().describe("balance, payment (a signed payment) or x402 (an x402 payment or a wallet's credit)."),
  whenLeft: field.whenLeft
    .nullable()
    .describe(
      `${field.whenLeft.description} With the model's default options; a quote returns it for the options of a request. null for a model that is no longer offered.`,
    ),
  payment: receiptPayment,
});

const inProgress = z.object({
  requestId: field.requestId,
  state: z.literal("in_progress").describe("charged, or in_progress while it runs."),
  at: field.time.describe("When it finished and was charged; while it runs, when it started."),
  keyId: field.keyId,
  ceiling: field.usd("While it runs: the amount reserved, which is its maximum cost."),
  deadline: field.time.describe("While it runs: the latest time at which it ends."),
});

export const receipt = z.discriminatedUnion("state", [charged, inProgress]);

export type ChargeReceipt = field.AnswerOf<typeof charged>;
export type Receipt = field.AnswerOf<typeof receipt>;
