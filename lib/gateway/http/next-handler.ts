// Adapts the gateway to the web's Request and Response, for route handlers.

import { isUtf8 } from "node:buffer";
import { readPageClient } from "@/lib/access/page-client";
import { BytePieces } from "@/lib/base/byte-pieces";
import { isAppError } from "@/lib/base/errors";
import type { BodyBounds, BodySpace } from "./body-room";
import { MAX_BODY_BYTES, MAX_DISCARDED_BYTES } from "./body-sizes";
import { type Coding, CodingFault, contentCoding, unpack } from "./content-coding";
import { readableOf } from "./reply-stream";
import { type GatewayReply, type ReadBody, readText } from "./request";

/**
 * The client's address: from our own HTTP server where there is one. Otherwise the platform's proxy is the peer, and X-Forwarded-For names
 * its client; it is trusted only if TRUSTED_PROXIES lists `loopback`.
 */
export const readWebClient = (request: Request): string => readPageClient(request.headers);

/**
 * Reads a request's body, unpacked, up to its limit; the rest of a longer one is read and discarded.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, and what `openSpace` throws
 */
export async function readWebBody(request: Request, limitBytes: number, { onEnd, openSpace }: BodyBounds): Promise<ReadBody> {
  if (!request.body) return { text: "" };
  const coding = contentCoding(request.headers.get("content-encoding") ?? undefined);
  const sent = Number(request.headers.get("content-length"));
  if (sent > limitBytes) return { text: "", problem: "too_large" };
  const announced = coding === null ? sent : 0;
  const pieces = new BytePieces();
  let bytes = 0;
  let space: BodySpace | null | undefined = announced > MAX_BODY_BYTES ? await openSpace?.(announced, request.signal) : undefined;
  const noSpace = (): ReadBody => ({ text: "", problem: request.signal.aborted ? "cut_off" : "busy" });
  try {
    if (space === null) return noSpace();
    for await (const chunk of coding === null ? request.body : unpackWeb(request.body, coding, limitBytes)) {
      bytes += chunk.length;
      if (bytes <= limitBytes) pieces.push(chunk);
      else pieces.clear();
      if (bytes > MAX_DISCARDED_BYTES && bytes > limitBytes) break;
      if (bytes <= MAX_BODY_BYTES || bytes > limitBytes) continue;
      space ??= await openSpace?.(limitBytes, request.signal);
      if (!space || !(await space.holdTo(bytes))) return noSpace();
    }
  } catch (error) {
    if (isAppError(error)) throw error;
    if (error instanceof CodingFault) return { text: "", problem: error.problem };
    return { text: "", problem: "cut_off" }; // the client went away in the middle
  } finally {
    space?.finish();
    onEnd(() => space?.close());
  }
  if (bytes > limitBytes) return { text: "", problem: "too_large" };
  const whole = pieces.join();
  if (whole.length <= MAX_BODY_BYTES) return readText(whole);
  return isUtf8(whole) ? { text: "", large: whole } : { text: "", problem: "not_utf8" };
}

/** A body that does not unpack, or to too much, is not cancelled: its connection would be reset before the answer. */
async function* unpackWeb(body: ReadableStream<Uint8Array>, coding: Coding, limitBytes: number): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  }
  try {
    yield* unpack(pieces(), coding, limitBytes);
  } finally {
    void discard(reader);
  }
}

/** Reads on a body that its endpoint refused unread: nothing else reads it, and its connection would be blocked. */
export async function discardWebBody({ body, bodyUsed, headers }: Request): Promise<void> {
  if (!body || bodyUsed) return;
  if (Number(headers.get("content-length")) > MAX_DISCARDED_BYTES) return void body.cancel().catch(() => undefined);
  await discard(body.getReader());
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let bytes = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      bytes += read.value.length;
      if (bytes > MAX_DISCARDED_BYTES) return await reader.cancel();
    }
  } catch {
    // The client has gone, and the body with it.
  }
}

/** The reply as a Response; its request ends when the response has been read, or abandoned. */
export async function webResponse(reply: GatewayReply): Promise<Response> {
  if (typeof reply.body !== "string") return new Response(readableOf(reply, reply.body), { status: reply.status, headers: reply.headers });
  await reply.end();
  // The web's Response takes no body with a 204, not even an empty one.
  return new Response(reply.body || null, { status: reply.status, headers: reply.headers });
}
