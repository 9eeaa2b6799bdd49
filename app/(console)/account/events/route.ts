// The account in brief, for the pages of the same session: as a stream that keeps them up to date, or once, as JSON.

import type { NextRequest } from "next/server";
import { findSignedIn, refusalResponse, type SignedIn } from "@/app/(console)/session-guard";
import { ENDED_EVENT, openAccountStream } from "@/lib/console/account/account-stream";
import { accountText, readAccountView } from "@/lib/console/account/account-view";
import { foreignOrigin, ownerUnavailable, signedOut, stalePage } from "@/lib/console/session-guard";
import { isFromOwnPage } from "@/lib/console/sign-in/same-origin";
import { drainSignal, eventStreamHeaders } from "@/lib/gateway/http/endpoint";
import { webResponse } from "@/lib/gateway/http/next-handler";
import { keepAlive } from "@/lib/gateway/prompt/sse-keep-alive";

export const dynamic = "force-dynamic";

export async function GET(request: NextRequest): Promise<Response> {
  if (!isFromOwnPage(request)) return refusalResponse(foreignOrigin);
  const isStream = request.headers.get("accept")?.includes("text/event-stream");
  const signedIn = await findSignedIn(request);
  if (signedIn === "unavailable") return refusalResponse(ownerUnavailable);
  if (!signedIn) return isStream ? endedStream() : refusalResponse(signedOut);
  const { owner } = signedIn;
  if (request.nextUrl.searchParams.get("session") !== owner.sessionId) return isStream ? endedStream() : refusalResponse(stalePage);
  if (isStream) return openStream(request, signedIn);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(accountText(await readAccountView(owner.accountId)), { headers });
}

const tooManyStreams = {
  status: 429,
  reason: "too_many_streams",
  error: "This account is open in too many browsers. Close one of them.",
};

// Next compresses responses, and compression buffers the pieces of a stream.
const streamHeaders = { ...eventStreamHeaders, "cache-control": "no-store, no-transform" };

/** The answer to a page of an ended session: of a refused stream a browser tells its page nothing, and reports an error in its console. */
const endedStream = (): Response => new Response(ENDED_EVENT, { headers: streamHeaders });

function openStream({ signal }: NextRequest, { owner, token }: SignedIn): Response | Promise<Response> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const draining = drainSignal();
  for (const end of [draining, signal]) {
    if (end.aborted) leave();
    end.addEventListener("abort", leave, { once: true });
  }
  if (leaving.signal.aborted) return refusalResponse({ status: 503, reason: "shutting_down", error: "The service is being restarted." });
  const events = openAccountStream({ token, owner, ended: leaving.signal });
  if (!events) return refusalResponse(tooManyStreams);
  return webResponse({
    status: 200,
    headers: streamHeaders,
    body: keepAlive(events),
    end: async () => {
      draining.removeEventListener("abort", leave);
      leave();
    },
  });
}
