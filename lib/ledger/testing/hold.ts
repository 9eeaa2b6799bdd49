// Holds for tests, placed and ended by the ledger's own functions, without a check of account or key.

import { now } from "@/lib/base/clock";
import { newRequestId, type RequestId } from "@/lib/base/ids";
import { slotsOf } from "@/lib/base/tokens/token-kinds";
import { inTransaction, pool } from "@/lib/db/pool";
import { chargeDetails, processOfTests, type TestDetails } from "./books";

export interface TestHold {
  request: RequestId;
  account: string;
  key: string | null;
  ceiling: bigint;
}

interface HoldOptions {
  key?: string | null;
  at?: Date;
  until?: Date;
}

const MINUTE_MS = 60_000;

/** Sets money aside; null when the account does not have that much. */
export async function tryHold(account: string, ceiling: bigint, options: HoldOptions = {}): Promise<TestHold | null> {
  const { key = null, at = now(), until = new Date(at.getTime() + MINUTE_MS) } = options;
  const hold: TestHold = { request: newRequestId(), account, key, ceiling };
  const isHeld = await inTransaction(async (transaction) => {
    const { rows } = await transaction.query<{ fits: boolean }>("SELECT ledger_hold_money($1, $2) AS fits", [account, ceiling]);
    if (rows[0]?.fits !== true) return false;
    const values = [hold.request, account, key, ceiling, processOfTests, at, until];
    await transaction.query("SELECT ledger_open_hold(ROW($1, $2, $3, 'model', $4, NULL, NULL), NULL, $5, $6, $7)", values);
    return true;
  });
  return isHeld ? hold : null;
}

export async function openHold(account: string, ceiling: bigint, options?: HoldOptions): Promise<TestHold> {
  const hold = await tryHold(account, ceiling, options);
  if (!hold) throw new Error(`${account} has not ${ceiling} to hold`);
  return hold;
}

interface Costs {
  input: number;
  output: number;
  details?: TestDetails;
  at?: Date;
}

/** Ends a hold with a charge of that many tokens, one nano-USD each; null releases it. Returns what was paid. */
export const endHold = (hold: TestHold, costs: Costs | null): Promise<bigint> => settle(hold, costs, false);

/** Charges a request without a hold: takes what is available. Returns what was paid. */
export const chargeLate = (hold: TestHold, costs: Costs): Promise<bigint> => settle(hold, costs, true);

async function settle({ request, account, key, ceiling }: TestHold, costs: Costs | null, isLate: boolean): Promise<bigint> {
  const { usage, ...charge } = chargeDetails(costs?.input ?? 0, costs?.output ?? 0, costs?.details);
  const ending = { request, account, key, ceiling, inputCost: costs?.input ?? 0, outputCost: costs?.output ?? 0 };
  const fields = costs ? { ...ending, ...charge, tokens: slotsOf(usage), kept: false } : ending;
  const text = JSON.stringify(snakeCase(fields), (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
  return inTransaction(async (transaction) => {
    await transaction.query("SELECT ledger_begin_charges(), ledger_lock_accounts(ARRAY[$1])", [account]);
    const { rows } = await transaction.query<{ paid: bigint | null }>(
      "SELECT ledger_settle_hold(json_populate_record(NULL::ledger_settlement, $1), $2, $3) AS paid",
      [text, costs?.at ?? now(), isLate ? ceiling : null],
    );
    if (typeof rows[0]?.paid !== "bigint") throw new Error(`${request} has no hold`);
    return rows[0].paid;
  });
}

const snakeCase = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`), value]),
  );

/** Runs the reaper at a given time. */
export const expireHoldsAt = (at: Date): Promise<unknown> =>
  pool().query("SELECT * FROM ledger_expire_holds(NULL, true, 1000, $1::timestamptz + interval '30 seconds')", [at]);
