// A request for a page, on its way to Next: its body is bounded in size and in time before Next, which reads a form whole and without
// knowing whose it is, sees it.

import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@/lib/base/errors";
import { answerTransportFault, writeOnSocket } from "../transport-fault";

export type PageHandler = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

interface PageRequest {
  message: IncomingMessage;
  response: ServerResponse;
  requestTimeoutMs: number;
  stallTimeoutMs: number;
}

/** The largest form of our pages; `next.config.ts` has the same limit for bodies that do not announce their length. */
export const MAX_FORM_BYTES = 65_536;

export async function showPage(pages: PageHandler, { message, response, requestTimeoutMs, stallTimeoutMs }: PageRequest): Promise<void> {
  if (Number(message.headers["content-length"]) > MAX_FORM_BYTES) return refuseLarge(message);
  cutSlowBody(message, response, requestTimeoutMs);
  // A page that takes long to render has nothing waiting to be read, and is left alone.
  response.setTimeout(stallTimeoutMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
  response.prependOnceListener("finish", () => void response.socket?.setTimeout(0));
  await pages(message, response);
}

function refuseLarge({ socket }: IncomingMessage): void {
  const message = `The body is larger than the maximum of a page: ${MAX_FORM_BYTES} bytes`;
  const details = { issues: [{ path: "", message }], reason: "too_large" };
  writeOnSocket(socket, "413 Content Too Large", new AppError("INVALID_REQUEST", { message, details }));
  socket.once("finish", () => socket.destroy());
}

function cutSlowBody(message: IncomingMessage, response: ServerResponse, timeoutMs: number): void {
  const { "content-length": length, "transfer-encoding": encoding } = message.headers;
  if (encoding === undefined && (length === undefined || length === "0")) return;
  const timer = setTimeout(() => {
    const fault = Object.assign(new Error("the body did not arrive in time"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    if (!message.complete) answerTransportFault(fault, message.socket, response.headersSent);
  }, timeoutMs);
  message.once("close", () => clearTimeout(timer));
}
