// A run as it is kept in the browser. A stored run may be of an older version, or changed by hand: it is parsed, and dropped when it does
// not fit.

import * as z from "zod/mini";
import { type KindName, kindNamed } from "@/lib/base/tokens/token-kinds";
import { whenLeftNames } from "@/lib/base/when-left";
import { isRunning, type Run } from "../run";

/** Nano-USD, kept as digits. */
export const amount = z.pipe(
  z.string().check(z.regex(/^-?\d{1,30}$/)),
  z.transform((digits) => BigInt(digits)),
);

const kindName = z.custom<KindName>((name) => typeof name === "string" && kindNamed(name) !== undefined);

const price = z.string().check(z.regex(/^\d{1,9}(\.\d{1,9})?$/));

const fields = z.object({
  model: z.string(),
  system: z.optional(z.string()),
  prompt: z.string(),
  sent: z.optional(z.object({ bytes: z.number(), messages: z.number() })),
  maxTokens: z.optional(z.number()),
  temperature: z.optional(z.number()),
  payment: z.optional(
    z.object({
      from: z.string(),
      requestId: z.string(),
      amount: z.number(),
      timestamp: z.number(),
      network: z.string(),
      signature: z.string(),
    }),
  ),
});

const problem = z.object({
  code: z.nullable(z.string()),
  reason: z.string(),
  message: z.string(),
  requestId: z.nullable(z.string()),
  deficit: z.nullable(amount),
  affordableMaxTokens: z.nullable(z.number()),
  retryAfterMs: z.nullable(z.number()),
  cost: z.nullable(amount),
});

/** Runs of earlier versions have no lines, and no `borne`. */
const receipt = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  inputCost: amount,
  outputCost: amount,
  lines: z._default(z.array(z.object({ kind: kindName, tokens: z.int(), due: amount })), []),
  borne: z._default(amount, 0n),
});

const toolCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() });

const keptRun = z.object({
  id: z.number(),
  fields,
  ceiling: z.nullable(amount),
  whenLeft: z._default(z.nullable(z.enum(whenLeftNames)), null),
  price: z.object({ inputPrice: price, outputPrice: price }),
  state: z.enum(["waiting", "writing", "done", "stopped", "failed"]),
  text: z.string(),
  reasoning: z._default(z.string(), ""),
  toolCalls: z._default(z.array(toolCall), []),
  finish: z._default(z.nullable(z.string()), null),
  requestId: z.nullable(z.string()),
  receipt: z.nullable(receipt),
  payment: z.nullable(z.object({ transaction: z.nullable(z.string()), change: amount, changeBelongsTo: z.enum(["account", "address"]) })),
  problem: z.nullable(problem),
  firstTokenMs: z.nullable(z.number()),
  totalMs: z.nullable(z.number()),
});

/** A run that was under way when its page closed was stopped by that. */
export const run = z.pipe(
  keptRun,
  z.transform((parsed): Run => {
    const known: Run = { ...parsed, isFinishing: false };
    return isRunning(known) ? { ...known, state: "stopped" } : known;
  }),
);
