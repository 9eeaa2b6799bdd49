// The account in brief, for the pages of the same session: as a stream that keeps them up to date, or once, as JSON.

import type { NextRequest } from "next/server";
import { foreignOrigin, readOwner, refusal, type SignedIn, stalePage } from "@/app/(console)/session-guard";
import { openAccountStream } from "@/lib/console/account/account-stream";
import { accountText, readAccountView } from "@/lib/console/account/account-view";
import { isFromOwnPage } from "@/lib/console/sign-in/same-origin";
import { drainSignal, eventStreamHeaders } from "@/lib/gateway/http/endpoint";
import { webResponse } from "@/lib/gateway/http/next-handler";
import { keepAlive } from "@/lib/gateway/prompt/sse-keep-alive";

export const dynamic = "force-dynamic";

export async function GET(request: NextRequest): Promise<Response> {
  if (!isFromOwnPage(request)) return foreignOrigin();
  const signedIn = await readOwner(request);
  if (signedIn instanceof Response) return signedIn;
  const { owner } = signedIn;
  if (request.nextUrl.searchParams.get("session") !== owner.sessionId) return stalePage();
  if (!request.headers.get("accept")?.includes("text/event-stream")) {
    const headers = { "content-type": "application/json", "cache-control": "no-store" };
    return new Response(accountText(await readAccountView(owner.accountId)), { headers });
  }
  return openStream(request, signedIn);
}

function openStream({ signal }: NextRequest, { owner, token }: SignedIn): Response | Promise<Response> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const draining = drainSignal();
  for (const end of [draining, signal]) {
    if (end.aborted) leave();
    end.addEventListener("abort", leave, { once: true });
  }
  if (leaving.signal.aborted) return refusal(503, "shutting_down", "The service is being restarted.");
  const events = openAccountStream({ token, owner, ended: leaving.signal });
  if (!events) return refusal(429, "too_many_streams", "This account is open in too many browsers. Close one of them.");
  return webResponse({
    status: 200,
    // Next compresses responses, and compression buffers the pieces of a stream.
    headers: { ...eventStreamHeaders, "cache-control": "no-store, no-transform" },
    body: keepAlive(events),
    end: async () => {
      draining.removeEventListener("abort", leave);
      leave();
    },
  });
}
