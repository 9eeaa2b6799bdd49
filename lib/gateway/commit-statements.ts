// The statement that decides a batch. What comes alone, as most does where few ask at once, has statements of its own, with half
// the work of those for many. Each answers with one text: a line for each item, settlements first.

import pg from "pg";
import { onceKept } from "@/lib/base/once";
import type { HotQuery } from "@/lib/db/hot-statement";
import { type ChargeDetails, dividePaid, type HoldItem, type SettleItem } from "./commit-items";

interface Times {
  at: Date;
  /** When the holds of the batch expire. */
  until: Date;
}

/** What was decided of an item; holds and settlements have columns of their own. */
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
  /** What was decided of the hold that came with a settlement. */
  next: CommitRow | null;
}

/** Its one row is read as a row for each item: settlements first, then holds, each in the order of the items. */
export function commitStatement(settlements: readonly SettleItem[], holds: readonly HoldItem[], times: Times): HotQuery<CommitRow[]> {
  const [hold, settlement] = [holds[0], settlements[0]];
  const isLone = settlements.length <= 1 && holds.length <= 1;
  const lone = isLone ? loneStatement(hold, settlement, times) : undefined;
  return lone ?? batch(settlements, holds, times);
}

/** The driver would write it with the offset of this machine's time zone, number by number. */
const writeTime = (time: Date): string => time.toISOString();

type Columns = readonly (string | null | undefined)[];

const readAmount = (text: string | null | undefined): bigint | null => (text == null ? null : BigInt(text));

const parseTime: (text: string) => Date = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/** The caps of most keys began to count at the same moment, and reading it anew is most of reading a row. */
const lastTime = onceKept("last time of a commit", () => ({ text: "", time: new Date(Number.NaN) }));

function readTime(text: string): Date {
  const last = lastTime();
  if (last.text !== text) Object.assign(last, { text, time: parseTime(text) });
  return last.time;
}

/** A line's row: those of a settlement have the first three columns alone. */
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
  next: null,
});

const readHoldColumns = ([outcome, ...rest]: Columns): CommitRow => readEither([outcome, null, null, ...rest]);

/** A row that was written as one value; none of ours has a comma, a quote, a line's end or an empty text in it. */
const readRecord = (record: string): Columns =>
  record
    .slice(1, -1)
    .split(",")
    .map((value) => (value === "" ? null : value.replaceAll('"', "")));

const plainRow = (outcome: string): CommitRow => ({
  outcome,
  input_cost: null,
  output_cost: null,
  available: null,
  spent: null,
  key_state: null,
  cap: null,
  period: null,
  period_start: null,
  next: null,
});

/** A hold's line: what it counts in, when it was placed the straight way. */
function readHold(line: string): CommitRow {
  if (line.startsWith("(")) return readHoldColumns(readRecord(line));
  const row = plainRow("held");
  const periodEnds = line.indexOf(" ");
  if (periodEnds >= 0) {
    row.period = line.slice(0, periodEnds);
    row.period_start = readTime(line.slice(periodEnds + 1));
  }
  return row;
}

/** A settlement's line: what was paid, when it was charged the straight way. */
function readSettlement(line: string, { inputCost }: SettleItem): CommitRow {
  if (line === "" || line.startsWith("(")) return readEither(readRecord(line));
  const row = plainRow("settled");
  const paid = dividePaid(BigInt(line), inputCost);
  row.input_cost = paid.inputCost;
  row.output_cost = paid.outputCost;
  return row;
}

function loneStatement(hold: HoldItem | undefined, settlement: SettleItem | undefined, times: Times): HotQuery<CommitRow[]> | undefined {
  if (!settlement) return hold && loneHold(hold, times);
  if (!hold) return loneSettlement(settlement, times);
  return hold.key !== null && hold.account === settlement.account && hold.key === settlement.key
    ? settleAndHold(settlement, hold, times)
    : undefined;
}

function loneHold({ request, account, key, ceiling, idempotency }: HoldItem, { at, until }: Times): HotQuery<CommitRow[]> | undefined {
  if (key === null || idempotency !== null) return;
  return {
    name: "gateway_decide_lone_hold",
    text: "SELECT gateway_decide_lone_hold($1, $2, $3, $4, $5, $6)",
    values: [request, account, key, ceiling, writeTime(at), writeTime(until)],
    readRow: ([line]) => [readHold(line ?? "()")],
  };
}

/** What a charge says that is no money, in the order of the SQL type ledger_settlement. */
const detailsOf = (charge: ChargeDetails): (string | number | boolean | null)[] => [
  charge.model,
  charge.provider,
  charge.priceVersion,
  charge.inputTokens,
  charge.outputTokens,
  charge.cachedInputTokens,
  charge.reasoningTokens,
  charge.outcome,
  charge.streamed,
  charge.estimated,
  charge.paidBy,
  charge.firstTokenMs,
  charge.providerMs,
];

function loneSettlement(item: SettleItem, { at }: Times): HotQuery<CommitRow[]> | undefined {
  if (!isPlainCharge(item)) return;
  return {
    name: "ledger_settle_lone_charge",
    text: `SELECT ledger_settle_lone_charge(
             $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
    values: [...chargeValues(item), writeTime(at)],
    readRow: ([line]) => [readSettlement(line ?? "", item)],
  };
}

/** A charge and the next hold of its key. */
function settleAndHold(
  item: SettleItem,
  { request, ceiling, idempotency }: HoldItem,
  { at, until }: Times,
): HotQuery<CommitRow[]> | undefined {
  if (!isPlainCharge(item) || idempotency !== null) return;
  return {
    name: "gateway_settle_and_hold",
    text: `SELECT gateway_settle_and_hold(
             $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`,
    values: [...chargeValues(item), request, ceiling, writeTime(at), writeTime(until)],
    readRow: ([text]) => {
      const [line = "", next = "()"] = (text ?? "").split("\n");
      return [readSettlement(line, item), readHold(next)];
    },
  };
}

type PlainCharge = SettleItem & { charge: ChargeDetails };

const isPlainCharge = (item: SettleItem): item is PlainCharge => item.charge !== null && item.idempotency === undefined;

function chargeValues(item: PlainCharge): unknown[] {
  const { request, account, key, period, periodStart, ceiling, inputCost, outputCost, charge } = item;
  const start = periodStart && writeTime(periodStart);
  return [request, account, key, period, start, ceiling, inputCost, outputCost, ...detailsOf(charge)];
}

function batch(settlements: readonly SettleItem[], holds: readonly HoldItem[], { at, until }: Times): HotQuery<CommitRow[]> {
  return {
    name: "gateway_decide_batch",
    text: "SELECT gateway_decide_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
    values: [...settleValues(settlements), ...holdValues(holds), writeTime(at), writeTime(until)],
    readRow: ([lines]) =>
      (lines ?? "").split("\n").map((line, place) => {
        const settlement = settlements[place];
        return settlement ? readSettlement(line, settlement) : readHold(line);
      }),
  };
}

function holdValues(holds: readonly HoldItem[]): unknown[] {
  const claims = holds.some((hold) => hold.idempotency !== null);
  return [
    writePlain(holds, (hold) => hold.request),
    writePlain(holds, (hold) => hold.account),
    writePlain(holds, (hold) => hold.key),
    writePlain(holds, (hold) => hold.ceiling),
    claims ? holds.map((hold) => hold.idempotency) : null,
    claims ? holds.map((hold) => hold.hash) : null,
  ];
}

function settleValues(settlements: readonly SettleItem[]): unknown[] {
  return [
    writePlain(settlements, (item) => item.request),
    writePlain(settlements, (item) => item.account),
    writePlain(settlements, (item) => item.key),
    writePlain(settlements, (item) => item.ceiling),
    writePlain(settlements, ({ charge, inputCost }) => (charge ? inputCost : 0n)),
    writePlain(settlements, ({ charge, outputCost }) => (charge ? outputCost : 0n)),
    writePlain(settlements, writeDetails),
    writeReplies(settlements),
  ];
}

/** The text of an array of what needs no quotes, or has them: the driver would look through every element for what needs some. */
function writePlain<Item>(items: readonly Item[], read: (item: Item) => string | bigint | null): string {
  let text = "";
  for (const item of items) text += `${text === "" ? "{" : ","}${read(item) ?? "NULL"}`;
  return text === "" ? "{}" : `${text}}`;
}

/** One item as the SQL type ledger_charge_details, quoted for an array; null for who is released. */
function writeDetails({ charge, period, periodStart }: SettleItem): string | null {
  if (charge === null) return null;
  const fields = detailsOf(charge);
  fields.push(period, periodStart && writeTime(periodStart));
  let text = "";
  for (const field of fields) text += `${text === "" ? "(" : ","}${writeField(field)}`;
  return /["\\]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")})"` : `"${text})"`;
}

const writeField = (value: string | number | boolean | null): string =>
  typeof value !== "string"
    ? `${value ?? ""}`
    : /^[\w.:/@-]+$/.test(value)
      ? value
      : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '""')}"`;

function writeReplies(settlements: readonly SettleItem[]): string | null {
  const replies = settlements.flatMap(({ account, idempotency, request, status, charge, body }) =>
    idempotency === undefined ? [] : [{ account, idempotency, request, status, streamed: charge?.streamed, body }],
  );
  return replies.length === 0 ? null : JSON.stringify(replies);
}
