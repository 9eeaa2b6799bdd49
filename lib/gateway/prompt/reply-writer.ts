// How an endpoint writes its answers: the specification's own form, or OpenAI's. A writer is made for one request.

import type { AppError } from "@/lib/base/errors";
import type { OutputPiece } from "./output";
import type { ChargeReceipt } from "./settlement";

export interface ReplyWriter {
  /** The body of a whole answer. */
  whole(receipt: ChargeReceipt): string;
  /** What a stream begins with. */
  opening(): string;
  piece(piece: OutputPiece): string;
  /** What follows the last piece of a complete stream. */
  done(receipt: ChargeReceipt): string;
  /** The last event of a stream that did not reach its end. */
  failed(error: AppError): string;
}

/** One server-sent event; `json` has no line ends. */
export const writeEvent = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;
