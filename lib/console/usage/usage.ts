// The usage page: the charges that its URL selects, page by page, with their chart. Rows, totals and chart show one moment, and stay
// at that moment while the reader pages. Summaries read every selected charge once; a page reads only its own rows again.

import { DAY_MS } from "@/lib/base/clock";
import { type AccountId, madeAtMs } from "@/lib/base/ids";
import { listHeldRequests } from "@/lib/ledger/receipt";
import { type ChargedRequest, listLatestRequests, listNewerRequests, listOlderRequests, type UsageSpan } from "@/lib/ledger/usage";
import { readUsageSummary } from "@/lib/ledger/usage-summary";
import { type KeyLabel, readKeyLabels } from "../keys/key-labels";
import type { RunningRow, UsageChoice, UsageRow, UsageView } from "../views/usage";
import { chartStart, spendChart } from "./spend-chart";
import { PLAYGROUND, type UsageQuery } from "./usage-query";

const PAGE_ROWS = 50;
/** The chart shows this many parts separately. */
const MAX_PARTS = 5;
/** A filter list offers this many keys; all others are found through their rows. */
const MAX_KEYS = 200;

/** The query's span for this account. */
export function usageSpan(accountId: AccountId, { fromDay, toDay, model, key, mark }: UsageQuery): UsageSpan {
  return {
    accountId,
    fromMs: Date.parse(fromDay),
    toMs: Date.parse(toDay) + DAY_MS,
    mark,
    ...(model === null ? {} : { model }),
    ...(key === null ? {} : { keyId: key === PLAYGROUND ? "" : key }),
  };
}

export async function readUsage(accountId: AccountId, query: UsageQuery): Promise<UsageView> {
  const wholeSpan = usageSpan(accountId, query);
  const { totals, mark, spend, charged } = await readUsageSummary(
    { ...wholeSpan, mark: query.cursor?.mark ?? wholeSpan.mark },
    query.split,
    MAX_PARTS,
  );
  const [rows, running] = await Promise.all([readRows({ ...wholeSpan, mark }, query), listRunning(accountId)]);
  const page = { mark, ...rows };
  const chosenKey = query.key === PLAYGROUND ? "" : query.key;
  const keyIds = [...new Set([...(chosenKey === null ? [] : [chosenKey]), ...charged.map(({ keyId }) => keyId)])];
  const labelOf = await readKeyLabels(accountId, [...keyIds, ...page.rows.map(({ keyId }) => keyId)]);
  const models = new Set([...(query.model === null ? [] : [query.model]), ...charged.map(({ model }) => model)]);
  const chartFrom = query.preset === null ? query.fromDay : chartStart({ accountId, spend, ...query });
  const nameOf = query.split === "key" ? (part: string) => labelOf(part).text : (part: string) => part || "All requests";
  const { inputCost, outputCost, ...counts } = totals;
  return {
    totals: { ...counts, cost: inputCost + outputCost },
    rows: page.rows.map((row) => usageRow(row, labelOf(row.keyId))),
    running,
    ...neighbours(page, query),
    mark,
    hasEverCalled: page.rows.length > 0 || (await listLatestRequests(accountId, 1)).length > 0,
    chart: spendChart(spend, chartFrom, query.toDay, nameOf),
    models: [...models].sort().map((model) => ({ value: model, text: model })),
    keys: keyIds.slice(0, MAX_KEYS).map((keyId) => keyChoice(keyId, labelOf(keyId))),
  };
}

interface RowsPage {
  rows: ChargedRequest[];
  /** True when more rows follow in the direction of reading. */
  more: boolean;
  mark: bigint;
}

const readRows = (span: UsageSpan & { mark: bigint }, { cursor }: UsageQuery): Promise<Omit<RowsPage, "mark">> =>
  cursor?.direction === "newer"
    ? listNewerRequests(span, PAGE_ROWS, cursor.requestId)
    : listOlderRequests(span, PAGE_ROWS, cursor?.requestId ?? null);

/** A page is reached from the page beside it, which still exists: charges are never deleted. */
function neighbours({ rows, more, mark }: RowsPage, { cursor }: UsageQuery): Pick<UsageView, "older" | "newer"> {
  const [first, last] = [rows[0], rows.at(-1)];
  const hasNewer = cursor?.direction === "newer" ? more : cursor !== null;
  const hasOlder = cursor?.direction === "newer" ? true : more;
  return {
    newer: hasNewer && first ? `${first.requestId}.${mark}` : null,
    older: hasOlder && last ? `${last.requestId}.${mark}` : null,
  };
}

/** A charge with its key's name, and its costs added up. */
export function usageRow({ keyId: _, at: _bookedAt, inputCost, outputCost, ...row }: ChargedRequest, key: KeyLabel): UsageRow {
  const startedAt = new Date(madeAtMs(row.requestId));
  return { ...row, startedAt, key: key.text, isKeyRevoked: key.isRevoked, cost: inputCost + outputCost };
}

async function listRunning(accountId: AccountId): Promise<RunningRow[]> {
  const held = await listHeldRequests(accountId, PAGE_ROWS);
  const labelOf = await readKeyLabels(
    accountId,
    held.map(({ keyId }) => keyId),
  );
  return held.map(({ requestId, model, keyId, ceiling }) => ({
    requestId,
    startedAt: new Date(madeAtMs(requestId)),
    model,
    key: labelOf(keyId).text,
    reserved: ceiling,
  }));
}

const keyChoice = (keyId: string, { text, isRevoked }: KeyLabel): UsageChoice => ({
  value: keyId || PLAYGROUND,
  text: isRevoked ? `${text} (revoked)` : text,
});
