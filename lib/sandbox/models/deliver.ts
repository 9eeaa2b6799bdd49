// Sends an answer at a model's pace, or breaks it as its behaviour says. It ends early, without an error, when the client disconnects.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Behaviour } from "./behaviour";
import type { CallLog, CallRecord } from "./call-log";
import type { SimulatedAnswer, SimulatedCall, Vendor } from "./vendor";

/** A request to a vendor, and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  vendor: Vendor;
  requestId: string;
  record: CallRecord;
  /** Aborted when the client disconnects. */
  gone: AbortSignal;
}

export interface Delivery extends Exchange {
  call: SimulatedCall;
  answer: SimulatedAnswer;
  behaviour: Behaviour;
  /** Default milliseconds between two deltas. */
  deltaDelayMs: number;
  log: CallLog;
}

const RUBBISH = "<html><body><h1>502 Bad Gateway</h1></body></html>";

/** Delivers the answer to an accepted call. Status directives are handled earlier. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { behaviour, call } = delivery;
  if (behaviour.rubbish) return finish(delivery, RUBBISH);
  if (call.stream) return deliverStream(delivery);
  return deliverJson(delivery);
}

/** Waits for `delay` or `hang`, with keep-alive lines if configured. */
export async function waitBefore(delivery: Delivery): Promise<void> {
  const { call, behaviour, gone } = delivery;
  const { delayMs = 0, keepAliveMs, hang } = behaviour;
  if (keepAliveMs === undefined) {
    if (hang) return untilGone(gone);
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: gone });
    return;
  }
  const waitMs = hang ? Number.POSITIVE_INFINITY : delayMs;
  startReply(delivery);
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += keepAliveMs) {
    await send(delivery, call.stream ? ": keep-alive\n\n" : "\n");
    await sleep(Math.min(keepAliveMs, waitMs - waitedMs), undefined, { signal: gone });
  }
}

async function deliverJson(delivery: Delivery): Promise<void> {
  const { vendor, call, answer, behaviour, gone, response } = delivery;
  if (behaviour.errorMidway) return finish(delivery, vendor.writeLateError(call));
  const body = vendor.writeJson(answer, call);
  const breaksOff = behaviour.closeMidway || behaviour.rubbishMidway || behaviour.stallAfter !== undefined;
  if (!breaksOff) {
    delivery.record.deltasSent = countDeltas(delivery);
    return finish(delivery, body);
  }
  // The announced Content-Length lets the client detect the break.
  if (!response.headersSent) startReply(delivery, { "content-length": String(Buffer.byteLength(body)) });
  await send(delivery, body.slice(0, Math.floor(body.length / 2)));
  if (behaviour.stallAfter !== undefined) return untilGone(gone);
  if (behaviour.rubbishMidway) await send(delivery, RUBBISH);
  cut(delivery);
}

/** The number of deltas in the answer's stream. */
function countDeltas({ vendor, answer }: Delivery): number {
  const ofCalls = answer.toolCalls.map(({ pieces }) => (vendor.callsComeWhole ? 1 : pieces.length));
  return ofCalls.reduce((sum, count) => sum + count, answer.pieces.length);
}

async function deliverStream(delivery: Delivery): Promise<void> {
  const { vendor, call, answer, behaviour, gone, record } = delivery;
  const paceMs = behaviour.slowMs ?? delivery.deltaDelayMs;
  const middle = Math.max(1, Math.floor(countDeltas(delivery) / 2));
  startReply(delivery);
  for (const frame of vendor.writeStream(answer, call)) {
    if (record.deltasSent === behaviour.stallAfter && (frame.isDelta || record.deltasSent > 0)) return untilGone(gone);
    if (frame.isDelta && record.deltasSent > 0 && paceMs > 0) await sleep(paceMs, undefined, { signal: gone });
    await send(delivery, frame.text);
    if (!frame.isDelta) continue;
    record.deltasSent++;
    if (record.deltasSent !== middle) continue;
    if (behaviour.closeMidway) return cut(delivery);
    if (behaviour.rubbishMidway) return finish(delivery, `data: ${RUBBISH}\n\n`);
    if (behaviour.errorMidway) return finish(delivery, vendor.writeLateError(call));
  }
  finish(delivery, "");
}

function startReply({ vendor, call, requestId, response, record }: Delivery, headers: Record<string, string> = {}): void {
  if (response.headersSent) return;
  record.status = 200;
  const contentType = call.stream ? "text/event-stream; charset=utf-8" : "application/json; charset=utf-8";
  response.writeHead(200, {
    "content-type": contentType,
    ...(call.stream && { "cache-control": "no-cache" }),
    ...vendor.replyHeaders(requestId),
    ...headers,
  });
}

function finish(delivery: Delivery, rest: string): void {
  const length = Buffer.byteLength(rest);
  startReply(delivery, delivery.call.stream ? {} : { "content-length": String(length) });
  delivery.record.bytesSent += length;
  delivery.response.end(rest);
}

async function send({ response, record, gone }: Delivery, text: string): Promise<void> {
  record.bytesSent += Buffer.byteLength(text);
  if (!response.write(text)) await once(response, "drain", { signal: gone });
}

// Ends the connection without a reset: the data already written must arrive.
function cut({ response, log, record }: Delivery): void {
  log.close(record, "cut_by_server");
  response.socket?.destroySoon();
}

/** Waits for the client to disconnect, and then throws the abort, so that nothing more is written. */
async function untilGone(gone: AbortSignal): Promise<never> {
  if (!gone.aborted) await once(gone, "abort");
  throw gone.reason;
}
