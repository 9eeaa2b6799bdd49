// Faults below HTTP: headers too large, bytes that are not HTTP, a client that sends too slowly. Node has no request object then,
// so the reply is written on the bare socket, in the same JSON and with the same headers as every other error.

import type { Socket } from "node:net";
import { clientAddress, trustedProxies } from "@/lib/access/client-address";
import { failedAuth } from "@/lib/access/limits/failed-auth";
import { AppError, errorCatalogue } from "@/lib/base/errors";
import { newRequestId } from "@/lib/base/ids";
import { writeLimitHeaders } from "@/lib/gateway/http/caller";
import { errorBody } from "@/lib/gateway/http/endpoint";

const faults: Record<string, { status: string; message: string; reason: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    message: "The headers are larger than 16 KiB",
    reason: "headers_too_large",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    message: "The request did not arrive in time; send it in one go",
    reason: "too_slow",
  },
};
const noHttp = {
  status: `${errorCatalogue.INVALID_REQUEST.status} Bad Request`,
  message: "This is not an HTTP/1.1 request",
  reason: "bad_http",
};

/** How long the rest of a faulty request is read and discarded: closing with unread bytes resets the connection and loses the answer. */
const LINGER_MS = 1_000;

/**
 * Answers a transport fault and closes the connection. For the server's `clientError` event. `isAnswering`: an earlier request on
 * this connection is being answered; then the client would take the fault's answer for that request's, or it would land inside it.
 */
export function answerTransportFault(error: NodeJS.ErrnoException, socket: Socket, isAnswering: boolean): void {
  if (socket.writableEnded) return; // the same fault again, in bytes that were still on their way
  if (!socket.writable || isAnswering || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const { status, message, reason } = faults[error.code ?? ""] ?? noHttp;
  writeOnSocket(socket, status, new AppError("INVALID_REQUEST", { message, details: { issues: [{ path: "", message }], reason } }));
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Writes an error as the connection's last answer. `status` is its status line's code and reason. */
export function writeOnSocket(socket: Socket, status: string, error: AppError): void {
  const requestId = newRequestId();
  const body = errorBody(error, requestId);
  const headers: Record<string, string> = {
    ...error.headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": `${Buffer.byteLength(body)}`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    connection: "close",
  };
  writeLimitHeaders(headers, failedAuth().state(clientAddress(socket.remoteAddress, undefined, trustedProxies())));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
