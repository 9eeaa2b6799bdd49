// Usage as CSV (RFC 4180) of any length, written while it is read: amounts as exact decimals, and no cell that a spreadsheet would
// take for a formula, since people choose the names of their keys.

import { listKeyNames } from "@/lib/access/key-names";
import type { AccountId } from "@/lib/base/ids";
import { usdText } from "@/lib/base/money";
import { kinds, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { type ExportedCharge, exportCharges } from "@/lib/ledger/charge-export";
import { readTotals, type ShownColumns, shownColumns } from "@/lib/ledger/usage";
import { usageSpan } from "./usage";
import type { UsageQuery } from "./usage-query";

type Cell = (charge: ExportedCharge, keyName: string) => string;

/** A column for each field as it is stored, called as in the database: `cached_input_tokens`. */
const cellsOf = (fields: readonly (keyof ExportedCharge)[]): Readonly<Record<string, Cell>> =>
  Object.fromEntries(
    fields.map((field) => [field.replace(/[A-Z]|\d/g, (sign) => `_${sign.toLowerCase()}`), (charge) => String(charge[field])]),
  );

const columns: Readonly<Record<string, Cell>> = {
  time: ({ at }) => at.toISOString(),
  request_id: ({ requestId }) => requestId,
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  key: (_, keyName) => keyName,
  key_id: ({ keyId }) => keyId ?? "",
  ...cellsOf(kinds.map((kind) => tokenKinds[kind].count)),
  input_cost_usd: ({ inputCost }) => usdText(inputCost),
  output_cost_usd: ({ outputCost }) => usdText(outputCost),
  total_cost_usd: ({ inputCost, outputCost }) => usdText(inputCost + outputCost),
  ...cellsOf(["outcome", "streamed", "estimated", "priceVersion", "paidBy"]),
  // Columns keep their places: columns added later come last.
  ...cellsOf(Object.keys(shownColumns) as (keyof ShownColumns)[]),
};

/** All rows of the page's filter: their costs add up to its totals. First a header line, then one chunk per batch. */
export async function* writeUsageCsv(accountId: AccountId, query: UsageQuery): AsyncGenerator<string, void, undefined> {
  const span = usageSpan(accountId, query);
  const mark = query.mark ?? (await readTotals(span)).mark;
  yield line(Object.keys(columns));
  for await (const batch of exportCharges({ ...span, mark })) yield await writeBatch(accountId, batch);
}

/** The same as bytes. Nothing is read ahead of the client; a client that leaves ends the reading, and a failure breaks off the file. */
export function usageCsvStream(accountId: AccountId, query: UsageQuery): ReadableStream<Uint8Array> {
  const pieces = writeUsageCsv(accountId, query);
  const encoder = new TextEncoder();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await pieces.next();
    if (done) controller.close();
    else controller.enqueue(encoder.encode(value));
  };
  return new ReadableStream({ pull, cancel: async () => void (await pieces.return()) }, { highWaterMark: 0 });
}

/** Key names are read for each batch: an account may have had any number of keys. */
async function writeBatch(accountId: AccountId, batch: readonly ExportedCharge[]): Promise<string> {
  const keyIds = new Set(batch.map(({ keyId }) => keyId ?? ""));
  const names = new Map((await listKeyNames(accountId, [...keyIds])).map(({ keyId, name }) => [keyId, name]));
  const nameOf = ({ keyId }: ExportedCharge) => (keyId === null ? "Playground" : (names.get(keyId) ?? ""));
  return batch.map((charge) => line(Object.values(columns).map((cell) => cell(charge, nameOf(charge))))).join("");
}

const line = (cells: readonly string[]): string => `${cells.map(csvCell).join(",")}\r\n`;

// Full-width signs too: spreadsheets in East Asian languages treat them the same.
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** A cell as text: a leading formula sign gets an apostrophe before it, and separators are quoted. */
export function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** `pennyprompt-usage-2026-10-23-to-2026-11-21.csv` */
export function usageFileName(service: string, { fromDay, toDay }: UsageQuery): string {
  const name = service
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "");
  return `${name || "service"}-usage-${fromDay}-to-${toDay}.csv`;
}
