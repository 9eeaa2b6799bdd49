// A streamed chat completion. Usage comes with the last chunk, in a separate chunk without choices, or repeatedly (xAI): the last one
// counts. The end is `[DONE]`, or the end of the stream, after a finish reason: without one the answer broke off.

import { z } from "zod";
import { readServerSentEvents } from "../answer/sse";
import type { OnRequestId, OnUsage, ProviderEvent, TokenUsage } from "../types";
import { checkServiceTier, malformed, parseJson, readShape } from "../wire-value";
import { isFunctionCall, openaiMessageSchema, openaiPieces, readToolCallPiece } from "./message";
import { Thoughts } from "./reasoning";
import { readOpenAIFinishReason, readOpenAIUsage, refuseProblem } from "./reply";
import { ToolCallPieces } from "./tool-calls";

const chunkSchema = z.object({
  id: z.unknown().optional(),
  // vLLM sends its closing usage with `choices: null`, Azure opens with a chunk without choices.
  choices: z
    .array(z.object({ delta: openaiMessageSchema.nullish(), finish_reason: z.string().nullish(), usage: z.unknown().optional() }))
    .nullish(),
  usage: z.unknown().optional(),
  // Moonshot AI counts a stream inside its choice (earendil-works/pi#2017), and Groq here (recorded in pydantic-ai's tests/models/cassettes/test_groq).
  x_groq: z.object({ usage: z.unknown().optional() }).nullish().catch(undefined),
  service_tier: z.unknown().optional(),
});

type Chunk = z.infer<typeof chunkSchema>;
type Delta = NonNullable<NonNullable<Chunk["choices"]>[number]["delta"]>;

const DONE = "[DONE]";

/** @throws ProviderFailure malformed, or the kind of an error inside the stream (unavailable where it names none) */
export async function* readOpenAIStream(
  chunks: AsyncIterable<Uint8Array>,
  onRequestId?: OnRequestId,
  onUsage?: OnUsage,
): AsyncGenerator<ProviderEvent> {
  const answer = new AnswerUnderWay(onRequestId, onUsage);
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      for (const value of valuesIn(data)) {
        // Not `yield*`, which would await each event once more.
        if (value !== DONE) for (const event of answer.take(value)) yield event;
        else {
          for (const event of answer.end()) yield event;
          return;
        }
      }
    }
  }
  for (const event of answer.end()) yield event;
}

class AnswerUnderWay {
  readonly #onRequestId: OnRequestId | undefined;
  readonly #onUsage: OnUsage | undefined;
  readonly #calls = new ToolCallPieces();
  readonly #thoughts = new Thoughts();
  #word: string | undefined;
  #usage: TokenUsage | null = null;
  #serviceTier: unknown;
  #isRefused = false;

  constructor(onRequestId: OnRequestId | undefined, onUsage: OnUsage | undefined) {
    this.#onRequestId = onRequestId;
    this.#onUsage = onUsage;
  }

  /** Consumes one chunk and returns its addition to the answer. */
  take(value: unknown): ProviderEvent[] {
    refuseProblem(value, "unavailable");
    const { id, choices, usage, x_groq, service_tier } = readShape(chunkSchema, value, "a chunk");
    this.#onRequestId?.(id);
    this.#serviceTier ??= service_tier;
    const choice = choices?.[0];
    const events = choice?.delta ? this.#read(choice.delta) : [];
    const counted = readOpenAIUsage(usage ?? choice?.usage ?? x_groq?.usage);
    // A count that more of the answer follows is not that of all of it.
    if (counted || events.length > 0) this.#usage = counted;
    if (counted) this.#onUsage?.(counted);
    const word = choice?.finish_reason;
    // "null" stands for none at some servers.
    if (word && word !== "null") this.#word = word;
    return events;
  }

  #read(delta: Delta): ProviderEvent[] {
    this.#isRefused ||= Boolean(delta.refusal);
    const events: ProviderEvent[] = [];
    for (const piece of openaiPieces(delta)) {
      events.push(...this.#calls.flush());
      if (piece.type === "thought") events.push(...this.#thoughts.add(piece));
      else events.push(...this.#thoughts.close(), piece);
    }
    for (const call of delta.tool_calls ?? []) {
      events.push(...this.#thoughts.close(), ...this.#calls.read(readToolCallPiece(call), isFunctionCall(call)));
    }
    return events;
  }

  /** @throws ProviderFailure malformed, when the answer broke off; unavailable, when its provider says so */
  end(): ProviderEvent[] {
    if (this.#word === undefined) throw malformed("the stream broke off before the answer ended");
    const reason = readOpenAIFinishReason(this.#word, this.#isRefused);
    checkServiceTier(this.#serviceTier);
    return [...this.#thoughts.close(), ...this.#calls.end(reason), { type: "finish", reason, usage: this.#usage }];
  }
}

/** The values of one event: several, where a server leaves out the empty line between two, or even the line break. */
function valuesIn(data: string): readonly unknown[] {
  const text = data.trim();
  if (text === "") return [];
  if (text === DONE) return [DONE];
  try {
    return [JSON.parse(text)];
  } catch {
    return severalIn(text);
  }
}

function severalIn(text: string): unknown[] {
  const values: unknown[] = [];
  for (let start = 0; start < text.length; ) {
    if (/\s/.test(text[start] ?? "")) start += 1;
    else if (text.startsWith(DONE, start)) {
      values.push(DONE);
      start += DONE.length;
    } else {
      const end = endOfObject(text, start);
      values.push(parseJson(text.slice(start, end), "a chunk"));
      start = end;
    }
  }
  return values;
}

/** Where the object ends that begins at `start`; the end of the text when it does not. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{") depth += 1;
    else if (character === "}" && --depth <= 0) return at + 1;
  }
  return text.length;
}
