// What is said of an account: its balance, what it used, and the receipt of one request.

import { z } from "zod";
import * as field from "./fields";

export const balance = z.object({
  balance: field.usd("What the account has."),
  held: field.usd("Set aside for requests that run right now."),
  available: field.usd("balance less held: what the next request may take."),
  currency: field.currency,
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
  from: z.iso.datetime().describe("Where the span begins."),
  to: z.iso.datetime().describe("Where it ends; what was charged at this instant is not in it."),
  groupBy: z.array(z.enum(["day", "model", "key"])).describe("What the rows are grouped by; empty for one row a request."),
  rows: z.union([z.array(chargedRequest), z.array(group)]).describe("Requests, the newest first; or groups, the newest day first."),
  totals: z.object(sums).describe("Of the whole span, on every page."),
  nextCursor: z.string().nullable().describe("Send it as cursor for the next page; null on the last."),
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
  paidBy: z.string().describe("balance."),
  whenLeft: z
    .enum(["cut", "drained"])
    .nullable()
    .describe(
      "What happens when a stream of this model is left: cut at its provider, or drained, since its provider bills the whole answer. null for a model of the past.",
    ),
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
