// The statement that decides a batch. What comes alone, as most does where few ask at once, has statements of its own, with half
// the work of those for many.

import pg from "pg";
import { once } from "@/lib/base/once";
import type { HotQuery } from "@/lib/db/hot-statement";
import { type ChargeDetails, dividePaid, type HoldItem, type SettleItem } from "./commit-items";

interface Times {
  at: Date;
  /** When the holds of the batch expire. */
  until: Date;
}

/** A row of a commit; holds and settlements have columns of their own. */
export interface CommitRow {
  outcome: string;
  input_cost: bigint | null;
  output_cost: bigint | null;
  available: bigint | null;
  spent: bigint | null;
  key_state: string | null;
  cap: bigint | null;
  period: string | null;
  period_start: Date | null;
}

/** Its rows come settlements first, then holds, each in the order of the items. */
export function commitStatement(settlements: readonly SettleItem[], holds: readonly HoldItem[], times: Times): HotQuery<CommitRow> {
  const [hold, secondHold] = holds;
  const [settlement, secondSettlement] = settlements;
  if (settlement === undefined) return (hold && !secondHold && loneHold(hold, times)) || manyHolds(holds, times);
  if (hold === undefined) return (!secondSettlement && loneSettlement(settlement, times)) || manySettlements(settlements, times);
  return {
    name: "gateway_commit",
    text: `SELECT outcome, input_cost, output_cost, available, spent, key_state, cap, period, period_start
           FROM gateway_commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ORDER BY place`,
    values: [...settleValues(settlements), ...holdValues(holds), writeTime(times.at), writeTime(times.until)],
    readRow: readEither,
  };
}

/** The driver would write it with the offset of this machine's time zone, number by number. */
const writeTime = (time: Date): string => time.toISOString();

type Columns = readonly (string | null | undefined)[];

const readAmount = (text: string | null | undefined): bigint | null => (text == null ? null : BigInt(text));

const parseTime: (text: string) => Date = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/** The caps of most keys began to count at the same moment, and reading it anew is most of reading a row. */
const lastTime = () => once("last time of a commit", () => ({ text: "", time: new Date(Number.NaN) }));

function readTime(text: string): Date {
  const last = lastTime();
  if (last.text !== text) Object.assign(last, { text, time: parseTime(text) });
  return last.time;
}

/** A settlement has the first three columns alone. */
const readEither = ([outcome, inputCost, outputCost, available, spent, keyState, cap, period, periodStart]: Columns): CommitRow => ({
  outcome: outcome ?? "",
  input_cost: readAmount(inputCost),
  output_cost: readAmount(outputCost),
  available: readAmount(available),
  spent: readAmount(spent),
  key_state: keyState ?? null,
  cap: readAmount(cap),
  period: period ?? null,
  period_start: periodStart == null ? null : readTime(periodStart),
});

const readHold = ([outcome, ...rest]: Columns): CommitRow => readEither([outcome, null, null, ...rest]);

/** A row that came as one value; none of ours has a comma, a quote or an empty text in it. */
const readRecord = (record: string): Columns =>
  record
    .slice(1, -1)
    .split(",")
    .map((value) => (value === "" ? null : value.replaceAll('"', "")));

function loneHold({ request, account, key, ceiling, idempotency }: HoldItem, { at, until }: Times): HotQuery<CommitRow> | undefined {
  if (key === null || idempotency !== null) return;
  return {
    name: "gateway_decide_lone_hold",
    text: "SELECT gateway_decide_lone_hold($1, $2, $3, $4, $5, $6)",
    values: [request, account, key, ceiling, writeTime(at), writeTime(until)],
    readRow: readLoneHold,
  };
}

function readLoneHold([decision]: Columns): CommitRow {
  if (decision?.startsWith("(")) return readHold(readRecord(decision));
  const [period, ...start] = decision ? decision.split(" ") : [];
  return readHold(["held", null, null, null, null, period, start.length > 0 ? start.join(" ") : null]);
}

function manyHolds(holds: readonly HoldItem[], { at, until }: Times): HotQuery<CommitRow> {
  return {
    name: "gateway_place_holds",
    text: `SELECT outcome, available, spent, key_state, cap, period, period_start
           FROM gateway_place_holds($1, $2, $3, $4, $5, $6, $7, $8) ORDER BY ord`,
    values: [...holdValues(holds), writeTime(at), writeTime(until)],
    readRow: readHold,
  };
}

/** The fields of a charge that are no money, in the order of the SQL type ledger_settlement. */
const detailNames = [
  "model",
  "provider",
  "priceVersion",
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "reasoningTokens",
  "outcome",
  "streamed",
  "estimated",
  "paidBy",
  "firstTokenMs",
  "providerMs",
] as const satisfies readonly (keyof ChargeDetails)[];

function loneSettlement(item: SettleItem, { at }: Times): HotQuery<CommitRow> | undefined {
  const { request, account, key, period, periodStart, ceiling, inputCost, outputCost, charge, idempotency } = item;
  if (charge === null || idempotency !== undefined) return;
  return {
    name: "ledger_settle_lone_charge",
    text: `SELECT ledger_settle_lone_charge(
             $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
    values: [
      request,
      account,
      key,
      period,
      periodStart && writeTime(periodStart),
      ceiling,
      inputCost,
      outputCost,
      ...detailNames.map((name) => charge[name]),
      writeTime(at),
    ],
    readRow: ([settled]) => readLoneSettlement(settled, inputCost),
  };
}

function readLoneSettlement(settled: string | null | undefined, inputCost: bigint): CommitRow {
  if (!settled || settled.startsWith("(")) return readEither(readRecord(settled ?? "()"));
  const paid = dividePaid(BigInt(settled), inputCost);
  return { ...readEither(["settled"]), input_cost: paid.inputCost, output_cost: paid.outputCost };
}

function manySettlements(settlements: readonly SettleItem[], { at }: Times): HotQuery<CommitRow> {
  return {
    name: "gateway_settle_holds",
    text: "SELECT outcome, input_cost, output_cost FROM gateway_settle_holds($1, $2, $3, $4, $5) ORDER BY ord",
    values: [...settleValues(settlements), writeTime(at)],
    readRow: readEither,
  };
}

function holdValues(holds: readonly HoldItem[]): unknown[] {
  const claims = holds.some((hold) => hold.idempotency !== null);
  return [
    holds.map((hold) => hold.request),
    holds.map((hold) => hold.account),
    holds.map((hold) => hold.key),
    holds.map((hold) => hold.ceiling),
    claims ? holds.map((hold) => hold.idempotency) : null,
    claims ? holds.map((hold) => hold.hash) : null,
  ];
}

function settleValues(settlements: readonly SettleItem[]): unknown[] {
  return [
    JSON.stringify(settlements.map(writeSettlement)),
    settlements.map((item) => item.request),
    settlements.map((item) => item.account),
    writeReplies(settlements),
  ];
}

/** One item as the SQL type ledger_settlement names its fields. */
function writeSettlement(item: SettleItem, ord: number): object {
  const { request, account, key, period, periodStart, inputCost, outputCost, charge } = item;
  const charged = charge !== null;
  const money = { inputCost: inputCost.toString(), outputCost: outputCost.toString() };
  return { ord, request, account, key, period, periodStart, charged, ...money, ...charge };
}

function writeReplies(settlements: readonly SettleItem[]): string | null {
  const replies = settlements.flatMap(({ account, idempotency, request, status, charge, body }) =>
    idempotency === undefined ? [] : [{ account, idempotency, request, status, streamed: charge?.streamed, body }],
  );
  return replies.length === 0 ? null : JSON.stringify(replies);
}
