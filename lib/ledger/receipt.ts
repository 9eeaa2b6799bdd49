// Receipts: what one request cost and why, from its charge and the price it was charged at; or what is held for it while it
// is under way. A request that failed leaves neither.

import type { AccountId, KeyId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";

/** Costs in nano-USD as the customer paid them, prices in nano-USD per token. */
export interface ChargeReceipt {
  state: "charged";
  /** When it was charged, which is at its end. */
  at: Date;
  model: string;
  provider: string;
  keyId: KeyId | null;
  inputTokens: number;
  outputTokens: number;
  /** Part of `inputTokens`. */
  cachedInputTokens: number;
  /** Part of `outputTokens`. */
  reasoningTokens: number;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  priceVersion: string;
  inputPrice: NanoUsd;
  outputPrice: NanoUsd;
  outcome: string;
  estimated: boolean;
  streamed: boolean;
  paidBy: string;
  firstTokenMs: number | null;
  providerMs: number;
}

export interface HoldReceipt {
  state: "in_progress";
  /** When the hold was placed. */
  at: Date;
  keyId: KeyId | null;
  ceiling: NanoUsd;
  /** The request has ended by then, whatever happens. */
  deadline: Date;
}

/** The receipt of a request of this account, or null when it has none; `requestId` may be any text. */
export async function findReceipt(accountId: AccountId, requestId: string): Promise<ChargeReceipt | HoldReceipt | null> {
  // The hold first: a request that is settled between the two reads is found charged.
  return (await findHold(accountId, requestId)) ?? (await findCharge(accountId, requestId));
}

async function findHold(accountId: AccountId, requestId: string): Promise<HoldReceipt | null> {
  const { rows } = await pool().query<HoldReceipt>(
    `SELECT 'in_progress' AS state, placed_at AS at, key_id AS "keyId", ceiling, deadline
     FROM hold WHERE request_id = $2 AND account_id = $1`,
    [accountId, requestId],
  );
  return rows[0] ?? null;
}

async function findCharge(accountId: AccountId, requestId: string): Promise<ChargeReceipt | null> {
  // Counts as float8, which holds them exactly and arrives as a number.
  const { rows } = await pool().query<ChargeReceipt>(
    `SELECT 'charged' AS state, c.at, c.model, c.provider, c.key_id AS "keyId", c.input_tokens::float8 AS "inputTokens",
       c.output_tokens::float8 AS "outputTokens", c.cached_input_tokens::float8 AS "cachedInputTokens",
       c.reasoning_tokens::float8 AS "reasoningTokens", c.input_cost AS "inputCost", c.output_cost AS "outputCost",
       c.price_version AS "priceVersion", p.input_price AS "inputPrice", p.output_price AS "outputPrice", c.outcome, c.estimated,
       c.streamed, c.paid_by AS "paidBy", c.first_token_ms AS "firstTokenMs", c.provider_ms AS "providerMs"
     FROM charge c JOIN price_version p ON p.id = c.price_version WHERE c.account_id = $1 AND c.request_id = $2`,
    [accountId, requestId],
  );
  return rows[0] ?? null;
}
