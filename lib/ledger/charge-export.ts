// Charges for export, a batch at a time: its memory does not grow with their number. Every batch is a separate short statement that
// continues where the last one ended, not one open cursor: with a cursor, a slow download would keep a transaction and a connection
// open for hours. Charges never change and the span's mark names the newest, so the batches together are still one snapshot of the
// ledger.

import { prisma } from "@/lib/db/prisma";
import { type ChargedRequest, chargeColumns, chargedRequest, inSpanBefore, type UsageSpan } from "./usage";

const BATCH_ROWS = 1_000;

export interface ExportedCharge extends ChargedRequest {
  provider: string;
  estimated: boolean;
  priceVersion: string;
  paidBy: string;
}

/** All charges of the span up to its mark, in batches, the last requests first. */
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
  return (await prisma().charge.findMany(query)).map(chargedRequest);
}

const exportedColumns = {
  ...chargeColumns,
  provider: true,
  estimated: true,
  priceVersion: true,
  paidBy: true,
} as const;
