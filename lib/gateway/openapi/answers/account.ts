// The answers about an account: its balance, its deposits, its usage, and the receipt of one request.

import { z } from "zod";
import * as field from "./fields";
import { receiptPayment } from "./payment";

export const balance = z.object({
  balance: field.usd("What the account has."),
  held: field.usd("Set aside for requests that run right now."),
  available: field.usd("balance less held: what the next request may take."),
  currency: field.currency,
  wallet: z
    .object({
      base: z.string().nullable().describe("Your address on Base; null where this service does not watch Base."),
      solana: z.string().nullable().describe("Your address on Solana; null where this service does not watch Solana."),
    })
    .nullable()
    .describe("Your deposit addresses. null until your first sign-in."),
});

const deposit = z.object({
  id: z.string().describe("Names this deposit. It stays the same when its chain moves the transaction to another block."),
  chain: z.enum(["base", "solana"]).describe("The chain it came in on."),
  state: z
    .enum(["seen", "confirming", "credited", "below_minimum", "reversed"])
    .describe(
      "seen in the newest block; confirming while blocks follow; credited, and in the balance; below_minimum, kept until its address has the minimum; reversed when its chain dropped it.",
    ),
  amount: field.usd("USDC that came in."),
  address: z.string().describe("Your address that it came in at."),
  transaction: z.string().describe("The transaction's hash on Base, its signature on Solana."),
  transactionUrl: z.url().nullable().describe("Shows the transaction in a public explorer; null in a sandbox."),
  block: field.count("The block on Base, the slot on Solana."),
  confirmations: field.count("How far it is, up to neededConfirmations."),
  neededConfirmations: z.int().min(1).describe("Confirmations needed before it is credited."),
  isFinal: z.boolean().describe("Final: the chain can no longer undo it."),
  seenAt: z.iso.datetime().describe("When this service first saw it."),
  creditedAt: z.iso.datetime().nullable().describe("When it was credited; null before."),
  reversedAt: z.iso.datetime().nullable().describe("When it was reversed; null unless it was."),
});

export const depositPage = z.object({
  rows: z.array(deposit).describe("Deposits, the newest first."),
  nextCursor: z.string().nullable().describe("Send it as cursor to get the next page. null on the last page."),
});

const chargedRequest = z.object({
  requestId: field.requestId,
  at: z.iso.datetime().describe("When it was charged, which is at its end."),
  model: field.modelName,
  keyId: field.keyId,
  usage: field.usage,
  cost: field.cost,
  outcome: field.outcome,
  streamed: field.streamed,
});

const sums = {
  requests: field.count("How many requests."),
  usage: field.usage,
  cost: field.cost,
};

const group = z.object({
  day: z.iso.date().optional().describe("Grouped by day: the day, UTC."),
  model: z.string().optional().describe("Grouped by model: its name."),
  keyId: z.string().nullable().optional().describe("Grouped by key: its id."),
  ...sums,
});

export const usagePage = z.object({
  from: z.iso.datetime().describe("Start of the period."),
  to: z.iso.datetime().describe("End of the period, exclusive."),
  groupBy: z.array(z.enum(["day", "model", "key"])).describe("What the rows are grouped by; empty for one row a request."),
  rows: z.union([z.array(chargedRequest), z.array(group)]).describe("Requests, the newest first; or groups, the newest day first."),
  totals: z.object(sums).describe("Totals of the whole period, on every page."),
  nextCursor: z.string().nullable().describe("Send it as cursor to get the next page. null on the last page."),
});

const charged = z.object({
  requestId: field.requestId,
  state: z.literal("charged").describe("charged, or in_progress while it runs."),
  at: z.iso.datetime().describe("When it was charged, which is at its end; while it runs, when its hold was placed."),
  model: field.modelName,
  provider: z.string().describe("Who ran the model."),
  keyId: field.keyId,
  usage: field.usageInParts,
  cost: field.cost,
  priceVersion: field.priceVersion,
  pricing: field.pricePerToken,
  outcome: field.outcome,
  estimated: z.boolean().describe("True when the provider gave no token count and ours was used."),
  streamed: field.streamed,
  firstTokenMs: z.int().min(0).nullable().describe("Milliseconds until the first token."),
  providerMs: field.count("Milliseconds that the provider took."),
  paidBy: z.string().describe("balance; payment for a signed proof; x402."),
  whenLeft: z
    .enum(["cut", "drained"])
    .nullable()
    .describe(
      "What happens when a stream of this model is left: cut at its provider, or drained, since its provider bills the whole answer. null for a model of the past.",
    ),
  payment: receiptPayment,
});

const inProgress = z.object({
  requestId: field.requestId,
  state: z.literal("in_progress").describe("charged, or in_progress while it runs."),
  at: z.iso.datetime().describe("When it was charged, which is at its end; while it runs, when its hold was placed."),
  keyId: field.keyId,
  ceiling: field.usd("While it runs: what is held for it, the most it can cost."),
  deadline: z.iso.datetime().describe("While it runs: when it has ended, whatever happens."),
});

export const receipt = z.discriminatedUnion("state", [charged, inProgress]);
