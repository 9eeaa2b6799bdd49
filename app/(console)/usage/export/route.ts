// The rows of the usage page's filter as a file.

import type { NextRequest } from "next/server";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { findOwnerOf } from "@/lib/console/owner";
import { sessionCookieName } from "@/lib/console/session-cookie";
import { usageCsvStream, usageFileName } from "@/lib/console/usage-csv";
import { readUsageQuery } from "@/lib/console/usage-query";

export async function GET(request: NextRequest): Promise<Response> {
  const token = request.cookies.get(sessionCookieName())?.value;
  const owner = token ? await findOwnerOf(token).catch(recordUnavailable) : null;
  if (owner === "away") {
    const error = "The service cannot look up who you are at the moment. Export again in a minute.";
    return Response.json({ error, reason: "unavailable" }, { status: 503, headers: { "Cache-Control": "no-store" } });
  }
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

function recordUnavailable(error: unknown): "away" {
  log().error({ err: error }, "the owner of an export could not be looked up");
  return "away";
}

const plainText = (status: number, text: string): Response =>
  new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } });
