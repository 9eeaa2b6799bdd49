// The rows of the usage page's filter as a file.

import type { NextRequest } from "next/server";
import { findSignedIn, refusalResponse } from "@/app/(console)/session-guard";
import { config } from "@/lib/base/config";
import { ownerUnavailable } from "@/lib/console/session-guard";
import { usageCsvStream, usageFileName } from "@/lib/console/usage/usage-csv";
import { readUsageQuery } from "@/lib/console/usage/usage-query";

export async function GET(request: NextRequest): Promise<Response> {
  const found = await findSignedIn(request);
  if (found === "unavailable") return refusalResponse(ownerUnavailable);
  if (!found) return plainText(401, "You are signed out. Sign in and export again.");
  const query = readUsageQuery(Object.fromEntries(new URL(request.url).searchParams));
  // Rows other than the requested ones must not pass for them.
  if (query.problem) return plainText(400, `${query.problem} Export again from the usage page.`);
  return new Response(usageCsvStream(found.owner.accountId, query), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${usageFileName(config().SERVICE_NAME, query)}"`,
      "Cache-Control": "private, no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

const plainText = (status: number, text: string): Response =>
  new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } });
