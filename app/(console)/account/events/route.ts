// The account in brief, for the pages of the same session: as a stream that keeps them up to date, or once, as JSON.

import type { NextRequest } from "next/server";
import { findSignedIn, foreignOrigin, ownerUnavailable, refusal, type SignedIn, signedOut, stalePage } from "@/app/(console)/session-guard";
import { ENDED_EVENT, openAccountStream } from "@/lib/console/account/account-stream";
import { accountText, readAccountView } from "@/lib/console/account/account-view";
import { isFromOwnPage } from "@/lib/console/sign-in/same-origin";
import { drainSignal, eventStreamHeaders } from "@/lib/gateway/http/endpoint";
import { webResponse } from "@/lib/gateway/http/next-handler";
import { keepAlive } from "@/lib/gateway/prompt/sse-keep-alive";

export const dynamic = "force-dynamic";

export async function GET(request: NextRequest): Promise<Response> {
  if (!isFromOwnPage(request)) return foreignOrigin();
  const isStream = request.headers.get("accept")?.includes("text/event-stream");
  const signedIn = await findSignedIn(request);
  if (signedIn === "unavailable") return ownerUnavailable();
  if (!signedIn) return isStream ? endedStream() : signedOut();
  const { owner } = signedIn;
  if (request.nextUrl.searchParams.get("session") !== owner.sessionId) return isStream ? endedStream() : stalePage();
  if (isStream) return openStream(request, signedIn);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(accountText(await readAccountView(owner.accountId)), { headers });
}

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
  if (leaving.signal.aborted) return refusal(503, "shutting_down", "The service is being restarted.");
  const events = openAccountStream({ token, owner, ended: leaving.signal });
  if (!events) return refusal(429, "too_many_streams", "This account is open in too many browsers. Close one of them.");
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
