// Faults below HTTP: headers too large, bytes that are no HTTP, a client that sends too slowly. Node knows no request then,
// so the reply is written on the bare socket, in the same JSON as every other error.

import type { Socket } from "node:net";
import { errorCatalogue, AppError } from "@/lib/base/errors";
import { newRequestId } from "@/lib/base/ids";
import { errorBody } from "@/lib/gateway/respond";

const faults: Record<string, { status: string; message: string; reason: string }> = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", message: "The headers are larger than 16 KiB", reason: "headers_too_large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", message: "The request did not arrive in time; send it in one go", reason: "too_slow" },
};
const noHttp = { status: `${errorCatalogue.INVALID_REQUEST.status} Bad Request`, message: "This is not an HTTP/1.1 request", reason: "bad_http" };

/** Answers a transport fault and closes the connection. For the server's `clientError` event. */
export function answerTransportFault(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const { status, message, reason } = faults[error.code ?? ""] ?? noHttp;
  const requestId = newRequestId();
  const body = errorBody(new AppError("INVALID_REQUEST", { message, details: { issues: [{ path: "", message }], reason } }), requestId);
  const headers = ["content-type: application/json; charset=utf-8", `content-length: ${Buffer.byteLength(body)}`, `x-request-id: ${requestId}`, "connection: close"];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
}
