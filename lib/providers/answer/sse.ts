// Server-sent events, read as they arrive: bytes in, the data of each complete event out, however the bytes were chunked. Their names and
// ids are not read, since every provider also names its events inside the data.

import { createParser } from "eventsource-parser";
import { malformed } from "../wire-value";

const defaultMaxEventSize = 4 * 1024 * 1024;

/**
 * Yields, for each chunk that completes any, the data of the events it completes. An event without its closing blank line
 * at the end of the stream is dropped, as the standard requires, unless it is whole all the same: some servers leave that line out.
 * Errors of `chunks` pass through unchanged.
 * @throws ProviderFailure malformed, when one event grows beyond `maxEventSize` characters
 */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxEventSize = defaultMaxEventSize,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let events: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventSize,
    onEvent: ({ data }) => {
      // The parser measures what it keeps between two chunks, and not an event that came in one.
      if (data.length > maxEventSize) throw tooLarge(maxEventSize);
      events.push(data);
    },
    // Without it a comment that never ends would be read for ever: it is bounded like an event.
    onComment: () => undefined,
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw tooLarge(maxEventSize);
    },
  });
  let endedWithReturn = false;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    const isSplit = endedWithReturn && text.startsWith("\n");
    endedWithReturn = text.endsWith("\r");
    // Of a line that ends with CR the parser would wait for the next chunk, to see whether a line feed follows.
    parser.feed((isSplit ? text.slice(1) : text).replace(/\r\n?/g, "\n"));
    if (events.length === 0) continue;
    yield events;
    events = [];
  }
  parser.feed("\n\n");
  const whole = events.filter(isWhole);
  if (whole.length > 0) yield whole;
}

/** Of JSON and of OpenAI's last event the end can be told. */
function isWhole(data: string): boolean {
  if (data.trim() === "[DONE]") return true;
  try {
    return typeof JSON.parse(data) === "object";
  } catch {
    return false;
  }
}

const tooLarge = (size: number) => malformed(`an event is larger than ${size} characters`);
