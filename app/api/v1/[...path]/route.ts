// The API's second door, for hosting without a server of our own: one handler for all methods. Next itself would answer an
// unknown path with HTML and a wrong method with nothing, so the gateway's own router table decides.

import { isUtf8 } from "node:buffer";
import { log } from "@/lib/base/observe/log";
import { prepareGateway } from "@/lib/gateway/prepare";
import { readableOf } from "@/lib/gateway/reply-stream";
import { type IncomingRequest, MAX_BODY_BYTES, MOST_DISCARDED_BYTES } from "@/lib/gateway/request";
import { answer } from "@/lib/gateway/router";

export const dynamic = "force-dynamic";

async function answerRequest(request: Request): Promise<Response> {
  // Without a database health must still answer, and everything else says by itself that it cannot.
  await prepareGateway().catch((error: unknown) => log().error({ err: error }, "the gateway could not be prepared"));
  const { pathname, search } = new URL(request.url);
  const reply = await answer({
    method: request.method,
    path: pathname,
    query: search.slice(1),
    headers: Object.fromEntries(request.headers),
    ...(await readBody(request)),
    // The platform's proxy is the peer, and says in X-Forwarded-For for whom; TRUSTED_PROXIES must name `loopback` to believe it.
    remoteAddress: "127.0.0.1",
    signal: request.signal,
  });
  if (typeof reply.body !== "string") return new Response(readableOf(reply, reply.body), { status: reply.status, headers: reply.headers });
  await reply.end();
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}

export {
  answerRequest as DELETE,
  answerRequest as GET,
  answerRequest as HEAD,
  answerRequest as OPTIONS,
  answerRequest as PATCH,
  answerRequest as POST,
  answerRequest as PUT,
};

async function readBody(request: Request): Promise<Pick<IncomingRequest, "bodyText" | "bodyProblem">> {
  if (!request.body) return { bodyText: "" };
  if (Number(request.headers.get("content-length")) > MOST_DISCARDED_BYTES) return { bodyText: "", bodyProblem: "too_large" };
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body) {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes > MOST_DISCARDED_BYTES) break;
    }
  } catch {
    return { bodyText: "", bodyProblem: "cut_off" }; // the client went away in the middle
  }
  if (bytes > MAX_BODY_BYTES) return { bodyText: "", bodyProblem: "too_large" };
  const whole = Buffer.concat(chunks);
  return isUtf8(whole) ? { bodyText: whole.toString("utf8") } : { bodyText: "", bodyProblem: "not_utf8" };
}
