// The rows of the usage page's filter as a file.

import { config } from "@/lib/base/config";
import { findOwner } from "@/lib/console/owner";
import { usageCsvStream, usageFileName } from "@/lib/console/usage-csv";
import { readUsageQuery } from "@/lib/console/usage-query";

export async function GET(request: Request): Promise<Response> {
  const owner = await findOwner();
  if (!owner) return plainText(401, "You are signed out. Sign in, then export again.");
  const query = readUsageQuery(Object.fromEntries(new URL(request.url).searchParams));
  // Other rows than were asked for must not look like them.
  if (query.problem) return plainText(400, `${query.problem} Go back to the usage page and export from there.`);
  return new Response(usageCsvStream(owner.accountId, query), {
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
