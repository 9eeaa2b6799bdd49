// The batches of settlements: what arrives while a commit is under way goes into the next one. Settling is idempotent, so
// whatever came between, a broken connection or a database that could not just now, it is tried again until it is known;
// the caller's answer waits for that.

import { setTimeout as sleep } from "node:timers/promises";
import { now } from "@/lib/base/clock";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/once";
import { type Batcher, makeBatcher } from "@/lib/db/batcher";
import { isStatementError } from "@/lib/db/failure";
import { hotPool } from "@/lib/db/hot-pool";

/** The columns of a charge that are no money, as the ledger's SQL names them. */
export interface ChargeDetails {
  model: string;
  provider: string;
  priceVersion: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
  outcome: "complete" | "partial" | "cancelled";
  streamed: boolean;
  estimated: boolean;
  paidBy: "balance";
  firstTokenMs: number | null;
  providerMs: number;
}

export interface SettleItem {
  request: RequestId;
  account: AccountId;
  key: KeyId | null;
  period: string | null;
  periodStart: Date | null;
  /** What the answer cost, nano-USD; the ledger charges at most the hold. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  /** Null releases the hold: nothing is charged. */
  charge: ChargeDetails | null;
  /** The answer to keep for this idempotency key; without `body` the claim is given back. */
  idempotency?: string;
  status?: number;
  body?: string;
}

export interface Settled {
  outcome: "settled" | "released" | "late" | "already";
  /** What was charged, nano-USD. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

interface SettledRow {
  outcome: Settled["outcome"];
  input_cost: bigint | null;
  output_cost: bigint | null;
}

const MOST_ITEMS = 256;
const RETRY_DELAYS_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 3_200, 3_200, 3_200];

const batcher = () =>
  once<Batcher<SettleItem, Settled>>("settle batcher", () =>
    makeBatcher({ run: settleHolds, most: MOST_ITEMS, mayRetrySingly: isStatementError }),
  );

/**
 * Ends one hold together with those that end beside it, and resolves when that is durable.
 * @throws Error when the database stayed away for over 15 s: the reaper frees the hold then, and the operator bears the answer
 */
export async function submitSettlement(item: SettleItem): Promise<Settled> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await batcher().submit(item);
    } catch (error) {
      if (isRefusal(error)) throw error;
      log().warn({ err: error, requestId: item.request }, "settling a hold failed, trying again");
      await sleep(delayMs);
    }
  }
  return batcher().submit(item);
}

/**
 * True when the database refused the item itself (a value, a constraint, an exception of ours) and would again. A lock that
 * was not got, a server without memory or connections, a deadlock: those pass.
 */
const isRefusal = (error: unknown): boolean => isStatementError(error) && /^(22|23|42|P0)/.test((error as { code: string }).code);

/** Resolves when every settlement that was submitted is done: for the drain. */
export const settlementsIdle = (): Promise<void> => batcher().idle();

async function settleHolds(items: readonly SettleItem[]): Promise<Settled[]> {
  const startedAt = performance.now();
  const result = await hotPool().query<SettledRow>({
    name: "gateway_settle_holds",
    text: "SELECT outcome, input_cost, output_cost FROM gateway_settle_holds($1, $2, $3, $4, $5) ORDER BY ord",
    values: [
      JSON.stringify(items.map(writeItem)),
      items.map((item) => item.request),
      items.map((item) => item.account),
      writeReplies(items),
      now(),
    ],
  });
  metrics().ledgerBatchSize.observe({ operation: "settle" }, items.length);
  metrics().ledgerBatchSeconds.observe({ operation: "settle" }, (performance.now() - startedAt) / 1000);
  return result.rows.map((row) => ({
    outcome: row.outcome,
    inputCost: nanoUsd(row.input_cost ?? 0n),
    outputCost: nanoUsd(row.output_cost ?? 0n),
  }));
}

/** One item as the SQL type ledger_settlement names its fields. */
function writeItem({ request, account, key, period, periodStart, inputCost, outputCost, charge }: SettleItem, ord: number): object {
  const money = { inputCost: inputCost.toString(), outputCost: outputCost.toString() };
  return { ord, request, account, key, period, periodStart, ...money, charged: charge !== null, ...charge };
}

function writeReplies(items: readonly SettleItem[]): string | null {
  const replies = items.flatMap(({ account, idempotency, request, status, charge, body }) =>
    idempotency === undefined ? [] : [{ account, idempotency, request, status, streamed: charge?.streamed, body }],
  );
  return replies.length === 0 ? null : JSON.stringify(replies);
}
