// Reads the books independently of the product: balances, holds and charges straight from the database.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";

/** Under load an answer of 200,000 tokens was not read to its end after 30 s. */
const WAIT_MS = 60_000;

/** Resolves with the first truthy result of `read`. Fails after a minute. */
export async function until<T>(what: string, read: () => Promise<T | null | undefined | false>): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`It did not come true within a minute: ${what}`);
    await sleep(10);
  }
}

/** No request may leave a hold, money held on an account or key, a slot, or a claim without an answer. */
export async function awaitNothingHeld(): Promise<void> {
  await until("every request has ended", async () => (await inFlight()) === 0);
  await until("nothing is held", async () => {
    const { rows } = await pool().query<{ free: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM hold) AND NOT EXISTS (SELECT FROM ledger_account WHERE held <> 0)
         AND NOT EXISTS (SELECT FROM key_spend WHERE held <> 0) AND NOT EXISTS (SELECT FROM idempotent_reply WHERE status IS NULL) AS free`,
    );
    return rows[0]?.free;
  });
}

export async function inFlight(): Promise<number> {
  const { values } = await metrics().inFlight.get();
  return values[0]?.value ?? 0;
}

/** An account's balance, nano-USD. */
export async function balanceOf(accountId: AccountId): Promise<bigint> {
  const { rows } = await pool().query<{ posted: bigint }>("SELECT posted FROM ledger_account WHERE id = $1", [accountId]);
  return rows[0]?.posted ?? -1n;
}

export async function openHolds(accountId: AccountId): Promise<number> {
  const { rows } = await pool().query("SELECT FROM hold WHERE account_id = $1", [accountId]);
  return rows.length;
}

interface Charge {
  request_id: string;
  model: string;
  provider: string;
  provider_request_id: string | null;
  input_tokens: bigint;
  output_tokens: bigint;
  cached_input_tokens: bigint;
  cache_write_tokens: bigint;
  cache_write_1h_tokens: bigint;
  image_tokens: bigint;
  reasoning_tokens: bigint;
  input_cost: bigint;
  output_cost: bigint;
  operator_loss: bigint;
  outcome: string;
  streamed: boolean;
  estimated: boolean;
}

const parts = ["cached_input_tokens", "cache_write_tokens", "cache_write_1h_tokens", "image_tokens", "reasoning_tokens"];

/** An account's charges, oldest first. */
export async function chargesOf(accountId: AccountId): Promise<Charge[]> {
  const { rows } = await pool().query<Charge>(
    `SELECT c.*, input_tokens, output_tokens, ${parts.map((part) => `coalesce(${part}, 0)::bigint AS ${part}`).join(", ")}
     FROM charge c, LATERAL (SELECT coalesce(tokens[1], 0)::bigint AS input_tokens, coalesce(tokens[2], 0)::bigint AS output_tokens,
       tokens[3] AS cached_input_tokens, tokens[4] AS cache_write_tokens, tokens[5] AS cache_write_1h_tokens, tokens[6] AS image_tokens,
       tokens[7] AS reasoning_tokens) t
     WHERE account_id = $1 ORDER BY request_id`,
    [accountId],
  );
  return rows;
}

/** The only charge of an account; waits for it, since some are made after the client has gone. */
export const awaitCharge = (accountId: AccountId): Promise<Charge> =>
  until("the request is charged", async () => (await chargesOf(accountId))[0]);

/** The balance equals the earlier balance minus exactly the recorded charges. */
export async function expectPaid(account: { accountId: AccountId; credit: bigint }): Promise<void> {
  await awaitNothingHeld();
  const charges = await chargesOf(account.accountId);
  const paid = charges.reduce((sum, charge) => sum + charge.input_cost + charge.output_cost, 0n);
  expect(await balanceOf(account.accountId)).toBe(account.credit - paid);
}

/** Nothing was charged, and nothing is held. */
export async function expectUncharged(account: { accountId: AccountId; credit: bigint }): Promise<void> {
  await awaitNothingHeld();
  expect(await chargesOf(account.accountId)).toEqual([]);
  expect(await balanceOf(account.accountId)).toBe(account.credit);
}
