// GET /api/v1/usage: the charges of the account's requests, one by one or in groups, page by page, with exact totals.

import { createHash } from "node:crypto";
import { z } from "zod";
import { DAY_MS, nowMs } from "@/lib/base/clock";
import { writeJson } from "@/lib/base/json";
import {
  type ChargedRequest,
  type Grouping,
  groupings,
  listChargedRequests,
  listUsageGroups,
  type UsageGroup,
  type UsagePage,
  type UsageSpan,
  type UsageSums,
} from "@/lib/ledger/usage";
import { authenticateReader, type Caller, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import { readCursor, readQuery, rowLimit, writeCursor } from "../http/query";
import { type Issue, invalidRequest } from "../http/request";
import * as answer from "../openapi/answers/account";
import { pickFields } from "../openapi/answers/fields";
import { amountsOf, outcomeOf } from "./receipt";

export const usage = endpoint("usage", async (request) => {
  const caller = await authenticateReader(request);
  await limit(request, caller);
  const query = readUsageQuery(request.query, caller);
  const { rows, totals, next } = await readRows(query);
  const { span, groupBy } = query;
  const body: answer.UsagePage = {
    from: new Date(span.fromMs),
    to: new Date(span.toMs),
    groupBy,
    rows,
    totals: sumsBody(totals),
    nextCursor: next && writeCursor(next),
  };
  return jsonReply(request, 200, writeJson(body));
});

interface UsageQuery {
  span: UsageSpan;
  groupBy: readonly Grouping[];
  limit: number;
  /** The last row of the previous page; null on the first. */
  after: Cursor["after"] | null;
  /** The part of this query that its cursors repeat. */
  ofQuery: Pick<Cursor, "query" | "startedMs">;
}

interface Rows {
  rows: answer.UsagePage["rows"];
  totals: UsageSums;
  next: Cursor | null;
}

async function readRows(query: UsageQuery): Promise<Rows> {
  const { span, groupBy, limit: most, after } = query;
  if (groupBy.length === 0) {
    const page = await listChargedRequests(span, most, after?.[0] ?? null);
    return { rows: page.rows.map(requestBody), totals: page.totals, next: nextCursor(query, page, ({ requestId }) => [requestId]) };
  }
  const [day = "", model = "", keyId = ""] = after ?? [];
  const page = await listUsageGroups(span, groupBy, most, after && { day, model, keyId });
  const rows = page.rows.map((group) => groupBody(group, groupBy));
  return { rows, totals: page.totals, next: nextCursor(query, page, (group) => [group.day, group.model, group.keyId]) };
}

const sumsBody = (sums: UsageSums) => ({ requests: sums.requests, ...amountsOf(sums) });

const requestBody = (charge: ChargedRequest) =>
  pickFields(answer.chargedRequest, { ...charge, ...amountsOf(charge), outcome: outcomeOf(charge) });

/** A group shows only the fields that it is grouped by. */
function groupBody(group: UsageGroup, groupBy: readonly Grouping[]): answer.UsageGroup {
  return {
    day: groupBy.includes("day") ? group.day : undefined,
    model: groupBy.includes("model") ? group.model : undefined,
    keyId: groupBy.includes("key") ? group.keyId || null : undefined,
    ...sumsBody(group),
  };
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

const instant = z
  .union(
    [z.iso.date(), z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })],
    "must be a date like 2026-01-31, or a time like 2026-01-31T09:30:00Z",
  )
  .transform((text) => Date.parse(text));

const groupBySchema = z.string().transform((text, context): Grouping[] => {
  const names = text.split(",");
  const known = groupings.filter((grouping) => names.includes(grouping));
  const unknown = names.find((name) => !known.some((grouping) => grouping === name));
  if (unknown !== undefined)
    context.addIssue(`must be any of ${groupings.join(", ")}, separated by commas; "${unknown.slice(0, 40)}" is not`);
  else if (known.length < names.length) context.addIssue("names the same grouping twice; write each once");
  return known;
});

const usageQuerySchema = z.strictObject({
  from: instant.optional(),
  to: instant.optional(),
  groupBy: groupBySchema.optional(),
  limit: rowLimit,
  cursor: z.string().optional(),
});

/** @throws AppError INVALID_REQUEST */
function readUsageQuery(text: string, { accountId, keyId, scopes }: Caller): UsageQuery {
  const { from, to, groupBy = [], limit: most, cursor: cursorText } = readQuery(text, usageQuerySchema);
  const ownKey = scopes.includes("account") ? null : keyId;
  const query = createHash("sha256")
    .update(JSON.stringify([accountId, ownKey, from ?? null, to ?? null, groupBy]))
    .digest("base64url");
  const cursor = cursorText === undefined ? null : readPosition(cursorText, query);
  // Later pages cover the same days as the first, even after midnight.
  const startedMs = cursor?.startedMs ?? nowMs();
  const toMs = to ?? (Math.floor(startedMs / DAY_MS) + 1) * DAY_MS;
  const fromMs = from ?? toMs - DEFAULT_DAYS * DAY_MS;
  checkSpan(fromMs, toMs, to !== undefined);
  const span = { accountId, fromMs, toMs, mark: cursor && BigInt(cursor.mark), ...(ownKey !== null && { keyId: ownKey }) };
  return { span, groupBy, limit: most, after: cursor?.after ?? null, ofQuery: { query, startedMs } };
}

/** @throws AppError INVALID_REQUEST when the span is empty or too long */
function checkSpan(fromMs: number, toMs: number, toWasGiven: boolean): void {
  const issues: Issue[] = [];
  if (toMs <= fromMs) {
    const [path, message] = toWasGiven ? ["to", "must be after from, because it is exclusive"] : ["from", "must not be after today"];
    issues.push({ path, message });
  }
  if (toMs - fromMs > MAX_DAYS * DAY_MS) {
    issues.push({ path: "from", message: `must be at most ${MAX_DAYS} days before to. Request the rest separately` });
  }
  if (issues.length > 0) throw invalidRequest(issues);
}

const cursorSchema = z.strictObject({
  /** Hash of the account and the query that the cursor belongs to. */
  query: z.string(),
  startedMs: z.int().min(0).max(253_402_300_799_999),
  mark: z.string().regex(/^\d{1,18}$/),
  /** The last row: its request id, or its day, model and key. */
  after: z.array(z.string().regex(/^[\x20-\x7e]{0,200}$/)).max(3),
});
type Cursor = z.infer<typeof cursorSchema>;

function nextCursor<Row>({ ofQuery }: UsageQuery, page: UsagePage<Row>, positionOf: (row: Row) => string[]): Cursor | null {
  const last = page.rows.at(-1);
  return page.more && last ? { ...ofQuery, mark: page.mark.toString(), after: positionOf(last) } : null;
}

/** @throws AppError INVALID_REQUEST when it is not one of ours, or belongs to another query or account */
function readPosition(text: string, query: string): Cursor {
  const cursor = readCursor(text, cursorSchema);
  if (cursor?.query === query) return cursor;
  const message = "does not belong to this query; send nextCursor unchanged with the same from, to and groupBy, or omit it to start again";
  throw invalidRequest([{ path: "cursor", message }]);
}
