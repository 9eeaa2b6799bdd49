// The log of calls to the simulated vendors: the last thousand and how each ended, so that a test can prove that an upstream call was made
// once, or was cut. It keeps the beginning of each prompt: everything here is simulated and stays in this process.

import { nowMs } from "@/lib/base/clock";
import type { VendorId } from "@/lib/providers/types";

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
  receivedAtMs: number;
  endedAtMs: number | null;
}

export interface CallLog {
  open(provider: VendorId): CallRecord;
  describe(
    record: CallRecord,
    call: { model: string; stream: boolean; maxOutputTokens?: number; temperature?: number },
    question: string,
  ): void;
  /** Records the end; only the first call counts. */
  close(record: CallRecord, state: Exclude<CallRecord["state"], "running">): void;
  /** The number of calls, and the last thousand, oldest first. */
  read(): { count: number; calls: CallRecord[] };
  clear(): void;
}

/** Creates an empty log. */
export function createCallLog(): CallLog {
  let ring: CallRecord[] = [];
  let count = 0;
  return {
    open(provider) {
      const record: CallRecord = {
        number: count + 1,
        provider,
        model: "",
        stream: false,
        question: "",
        maxOutputTokens: undefined,
        temperature: undefined,
        status: null,
        state: "running",
        bytesReceived: 0,
        bytesSent: 0,
        deltasSent: 0,
        receivedAtMs: nowMs(),
        endedAtMs: null,
      };
      ring[count % CALLS_KEPT] = record;
      count++;
      return record;
    },
    describe(record, call, question) {
      record.model = call.model;
      record.stream = call.stream;
      record.maxOutputTokens = call.maxOutputTokens;
      record.temperature = call.temperature;
      record.question = keepBeginning(question);
    },
    close(record, state) {
      if (record.state !== "running") return;
      record.state = state;
      record.endedAtMs = nowMs();
    },
    read: () => ({ count, calls: [...ring.slice(count % CALLS_KEPT), ...ring.slice(0, count % CALLS_KEPT)] }),
    clear() {
      ring = [];
      count = 0;
    },
  };
}

// Copied through bytes, since a plain slice would keep the whole prompt in memory.
function keepBeginning(question: string): string {
  if (question.length <= QUESTION_CHARACTERS_KEPT) return question;
  return Buffer.from(question.slice(0, QUESTION_CHARACTERS_KEPT), "utf16le").toString("utf16le");
}
