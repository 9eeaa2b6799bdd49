// Charges for export, a batch at a time: the memory that it takes does not grow with their number. Every batch is a short
// statement of its own that goes on where the one before ended, and not one open cursor: a slow download would hold a
// transaction and a connection for hours. Since charges never change and the span's mark names the newest, the batches
// together are still one snapshot of the ledger.

import { prisma } from "@/lib/db/prisma";
import { type ChargedRequest, chargeColumns, chargedRequest, inSpanBefore, type UsageSpan } from "./usage";

const BATCH_ROWS = 1_000;

export interface ExportedCharge extends ChargedRequest {
  provider: string;
  /** Part of `inputTokens`. */
  cachedInputTokens: number;
  /** Part of `outputTokens`. */
  reasoningTokens: number;
  estimated: boolean;
  priceVersion: string;
  paidBy: string;
}

/** All charges of the span up to its mark, those whose requests came in last first, in batches. */
export async function* exportCharges(span: UsageSpan & { mark: bigint }): AsyncGenerator<ExportedCharge[], void, undefined> {
  let before: string | null = null;
  for (;;) {
    const rows = await readBatch(span, before);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_ROWS) return;
    before = last.requestId;
  }
}

async function readBatch(span: UsageSpan & { mark: bigint }, before: string | null): Promise<ExportedCharge[]> {
  const query = { where: inSpanBefore(span, before), select: exportedColumns, orderBy: { requestId: "desc" }, take: BATCH_ROWS } as const;
  return (await prisma().charge.findMany(query)).map((row) => ({
    ...chargedRequest(row),
    cachedInputTokens: Number(row.cachedInputTokens),
    reasoningTokens: Number(row.reasoningTokens),
  }));
}

const exportedColumns = {
  ...chargeColumns,
  provider: true,
  cachedInputTokens: true,
  reasoningTokens: true,
  estimated: true,
  priceVersion: true,
  paidBy: true,
} as const;
