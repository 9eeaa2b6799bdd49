// Server-sent events, read as they arrive: bytes in, the data of each complete event out, however the bytes were chunked.
// Follows the WHATWG "event stream interpretation", with two deviations: events have a maximum size, and their names and ids are not
// read, since every provider also names its events inside the data.

import { malformed } from "./wire-value";

const defaultMaxEventBytes = 4 * 1024 * 1024;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;

/**
 * Yields, for each chunk that completes any, the data of the events it completes. An event without its closing blank line
 * at the end of the stream is dropped, as the standard requires. Errors of `chunks` pass through unchanged.
 * @throws ProviderFailure malformed, when one event grows beyond `maxEventBytes`
 */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxEventBytes = defaultMaxEventBytes,
): AsyncGenerator<readonly string[]> {
  const parser = new EventParser(maxEventBytes);
  for await (const chunk of chunks) {
    const events = parser.push(chunk);
    if (events.length > 0) yield events;
  }
}

class EventParser {
  readonly #maxEventBytes: number;
  /** Bytes of a line whose end has not arrived yet. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Data lines of the current event, joined; undefined when it has none yet. */
  #data: string | undefined;
  #endedWithCarriageReturn = false;
  #isStart = true;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  push(chunk: Uint8Array): string[] {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#endedWithCarriageReturn && bytes.length > 0) {
      // The line feed of a CRLF split between two chunks: its line has been read already.
      if (bytes[0] === lineFeed) bytes = bytes.subarray(1);
      this.#endedWithCarriageReturn = false;
    }
    // A newline byte is never part of a longer UTF-8 sequence, so text cut after one decodes whole.
    const end = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
    if (end === 0) {
      this.#keep(bytes);
      return [];
    }
    this.#endedWithCarriageReturn = bytes[end - 1] === carriageReturn;
    const text = this.#take(bytes.subarray(0, end));
    this.#keep(bytes.subarray(end));
    return this.#readLines(text);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#pendingBytes += bytes.length;
    this.#checkSize();
    // A copy: the sender owns the chunk and may reuse its memory.
    this.#pending.push(Buffer.from(bytes));
  }

  #take(bytes: Buffer): string {
    const whole = this.#pending.length === 0 ? bytes : Buffer.concat([...this.#pending, bytes]);
    this.#pending = [];
    this.#pendingBytes = 0;
    let text = whole.toString("utf8");
    if (this.#isStart) {
      this.#isStart = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  #readLines(text: string): string[] {
    const events: string[] = [];
    let start = 0;
    while (start < text.length) {
      const end = text.indexOf("\n", start);
      if (end > start) this.#readLine(text, start, end);
      else if (this.#data !== undefined) {
        events.push(this.#data);
        this.#data = undefined;
      }
      start = end + 1;
    }
    return events;
  }

  /** Fields other than `data`, and comments, are ignored. */
  #readLine(text: string, start: number, end: number): void {
    let value: string;
    if (text.startsWith("data:", start)) {
      const from = start + 5;
      value = text.slice(text.charCodeAt(from) === space ? from + 1 : from, end);
    } else if (end - start === 4 && text.startsWith("data", start)) {
      value = "";
    } else {
      return;
    }
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#checkSize();
  }

  #checkSize(): void {
    if (this.#pendingBytes + (this.#data?.length ?? 0) > this.#maxEventBytes) {
      throw malformed(`an event is larger than ${this.#maxEventBytes} bytes`);
    }
  }
}
