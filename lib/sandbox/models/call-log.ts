// The log of calls to the simulated vendors: the last thousand and how each ended, so that a test can prove that an upstream call was made
// once, or was cut. It keeps the beginning of each prompt: everything here is simulated and stays in this process.

import type { VendorId } from "@/lib/providers/model-route";

const CALLS_KEPT = 1000;
const QUESTION_CHARACTERS_KEPT = 2000;

export interface CallRecord {
  /** Counts from 1 since the start or the last `clear`. */
  number: number;
  provider: VendorId;
  /** Empty when the request was refused before its model was read. */
  model: string;
  stream: boolean;
  /** The beginning of the last user message. */
  question: string;
  maxOutputTokens: number | undefined;
  temperature: number | undefined;
  /** HTTP status sent; null until then. */
  status: number | null;
  state: "running" | "finished" | "aborted_by_client" | "cut_by_server";
  bytesReceived: number;
  /** Body bytes written to the connection. */
  bytesSent: number;
  deltasSent: number;
}

interface Described extends Pick<CallRecord, "model" | "stream" | "question"> {
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
}

export class CallLog {
  #calls: CallRecord[] = [];
  #count = 0;

  open(provider: VendorId): CallRecord {
    const record: CallRecord = {
      ...{ number: ++this.#count, provider, model: "", stream: false, question: "" },
      ...{ maxOutputTokens: undefined, temperature: undefined, status: null, state: "running" as const },
      ...{ bytesReceived: 0, bytesSent: 0, deltasSent: 0 },
    };
    this.#calls.push(record);
    if (this.#calls.length > CALLS_KEPT) this.#calls.shift();
    return record;
  }

  describe(record: CallRecord, { question, ...call }: Described): void {
    // Copied through bytes, since a plain slice would keep the whole prompt in memory.
    Object.assign(record, call, {
      question: Buffer.from(question.slice(0, QUESTION_CHARACTERS_KEPT), "utf16le").toString("utf16le"),
    });
  }

  /** Records the end; only the first call counts. */
  close(record: CallRecord, state: Exclude<CallRecord["state"], "running">): void {
    if (record.state === "running") record.state = state;
  }

  /** The number of calls, and the last thousand, oldest first. */
  read(): { count: number; calls: readonly CallRecord[] } {
    return { count: this.#count, calls: this.#calls };
  }

  clear(): void {
    this.#calls = [];
    this.#count = 0;
  }
}
