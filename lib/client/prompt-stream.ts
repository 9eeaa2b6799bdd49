// A streamed answer: its pieces of text as they arrive, then the whole answer with its cost.

import { type Call, type Connection, fetchEvents } from "./exchange";
import { type RetryOptions, retrying } from "./retry";
import type { PromptAnswer, StreamEvent } from "./types";

/**
 * Read it once: by `for await`, or by `finalAnswer()` or `text()`. The request is sent when reading begins. Leaving the loop
 * closes the connection: a quote's `whenLeft` says whether the model stops then, too, or is paid to its end.
 */
export class PromptStream implements AsyncIterable<StreamEvent> {
  readonly #events: AsyncGenerator<StreamEvent>;
  #answer: PromptAnswer | undefined;

  constructor(connection: Connection, call: Call, retry: RetryOptions) {
    this.#events = this.#remember(readPromptEvents(connection, call, retry));
  }

  [Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
    return this.#events;
  }

  /** Reads the rest, and resolves with the whole answer. */
  async finalAnswer(): Promise<PromptAnswer> {
    for await (const _event of this.#events);
    if (!this.#answer) throw new Error("This stream was left, or failed, before its end");
    return this.#answer;
  }

  /** Reads the rest, and resolves with the whole text. */
  async text(): Promise<string> {
    return (await this.finalAnswer()).text;
  }

  async *#remember(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
    for await (const event of events) {
      if (event.type === "done") this.#answer = event.answer;
      yield event;
    }
  }
}

async function* readPromptEvents(connection: Connection, call: Call, retry: RetryOptions): AsyncGenerator<StreamEvent> {
  // Before its first event a stream has delivered nothing and may be retried. After it, an error must reach the caller.
  const opened = await retrying(() => openEvents(connection, call), retry, call.signal);
  try {
    for (let next = opened.first; !next.done; next = await opened.events.next()) {
      const { name, body } = next.value;
      if (name === "delta") yield { type: "delta", text: (body as { text: string }).text };
      else if (name === "done") yield { type: "done", answer: body as PromptAnswer };
    }
  } finally {
    await opened.events.return(undefined);
  }
}

async function openEvents(connection: Connection, call: Call) {
  const events = fetchEvents(connection, call);
  return { events, first: await events.next() };
}
