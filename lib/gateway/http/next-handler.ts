// Adapts the gateway to the web's Request and Response, for route handlers.

import { isUtf8 } from "node:buffer";
import { readableOf } from "./reply-stream";
import { type GatewayReply, type IncomingRequest, MAX_BODY_BYTES, MAX_DISCARDED_BYTES } from "./request";

/** Reads a request's body, up to the size that is accepted. */
export async function readWebBody(request: Request): Promise<Pick<IncomingRequest, "bodyText" | "bodyProblem">> {
  if (!request.body) return { bodyText: "" };
  if (Number(request.headers.get("content-length")) > MAX_DISCARDED_BYTES) return { bodyText: "", bodyProblem: "too_large" };
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body) {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes > MAX_DISCARDED_BYTES) break;
    }
  } catch {
    return { bodyText: "", bodyProblem: "cut_off" }; // the client went away in the middle
  }
  if (bytes > MAX_BODY_BYTES) return { bodyText: "", bodyProblem: "too_large" };
  const whole = Buffer.concat(chunks);
  return isUtf8(whole) ? { bodyText: whole.toString("utf8") } : { bodyText: "", bodyProblem: "not_utf8" };
}

/** The reply as a Response; its request ends when the response has been read, or abandoned. */
export async function webResponse(reply: GatewayReply): Promise<Response> {
  if (typeof reply.body !== "string") return new Response(readableOf(reply, reply.body), { status: reply.status, headers: reply.headers });
  await reply.end();
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}
