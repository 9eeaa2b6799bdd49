// For tests: providers that count with a real tokenizer, over their own wire format. They read the request that we send, write an answer's
// stream as the simulated models do, and bill what they had generated when it was cut.

import { getTokenizer } from "@anthropic-ai/tokenizer";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { computeChatCompletionTokenCount } from "gpt-tokenizer/functionCalling";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import type { ModelRoute } from "@/lib/providers/model-route";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import type { ModelCall, TokenUsage, WireFormat } from "@/lib/providers/types";
import { anthropic } from "@/lib/sandbox/models/anthropic";
import { gemini } from "@/lib/sandbox/models/gemini";
import { countImageTokens } from "@/lib/sandbox/models/images";
import { deepseek, openai, xai } from "@/lib/sandbox/models/openai";
import type { Frame, SimulatedAnswer, SimulatedCall, Vendor } from "@/lib/sandbox/models/vendor";

export type TokenizerName = keyof typeof trueCount;

const vendors: Record<string, Vendor> = { openai, anthropic, gemini, xai, deepseek };

/** A piece of text as a stream sends it, and how many tokens it is: a character may be several. */
interface Piece {
  text: string;
  tokens: number;
}

const claude = getTokenizer();

function* decodeClaude(ids: Iterable<number>): Generator<string> {
  const decoder = new TextDecoder();
  for (const id of ids) {
    const text = decoder.decode(claude.decode(new Uint32Array([id])), { stream: true });
    if (text !== "") yield text;
  }
}

const decoders: Record<TokenizerName, { encode: (text: string) => Iterable<number>; decode: (ids: Iterable<number>) => Iterable<string> }> =
  {
    o200k: { encode: (text) => o200k.encode(text), decode: o200k.decodeGenerator },
    cl100k: { encode: (text) => cl100k.encode(text), decode: cl100k.decodeGenerator },
    claude: { encode: (text) => claude.encode(text.normalize("NFKC"), [], []), decode: decodeClaude },
  };

function split(text: string, tokenizer: TokenizerName): Piece[] {
  const { encode, decode } = decoders[tokenizer];
  let taken = 0;
  function* taking(ids: Iterable<number>): Generator<number> {
    for (const id of ids) {
      taken += 1;
      yield id;
    }
  }
  const pieces: Piece[] = [];
  for (const piece of decode(taking(encode(text)))) {
    pieces.push({ text: piece, tokens: taken });
    taken = 0;
  }
  return pieces;
}

export interface BilledAnswer {
  text: string;
  thoughts: string;
  calls: readonly { name: string; arguments: string }[];
}

export interface BilledStream {
  frames: readonly Frame[];
  /** What the provider bills when it stops after that many frames, at most all; the input as it read it from its cache. */
  bill: (frames: number) => TokenUsage;
}

interface Order {
  call: ModelCall;
  format: WireFormat;
  route: ModelRoute;
  tokenizer: TokenizerName;
  answer: BilledAnswer;
  /** Of its input, from 0 to 1. */
  cachedShare: number;
}

/** The stream of an answer to this call, and its bill. */
export function openBilledStream({ call, format, route, tokenizer, answer, cachedShare }: Order): BilledStream {
  const vendor = vendors[route.provider];
  if (!vendor) throw new Error(`${route.provider} is not simulated`);
  const asked = readRequest(vendor, format.buildRequest(call, route.wireName, "key", route.provider, route.entry));
  const inputTokens = countInput(vendor, asked, tokenizer) + countImageTokens(vendor.provider, asked);
  const cachedInputTokens = Math.floor((inputTokens * cachedShare) / 64) * 64;
  const [pieces, thoughts] = [split(answer.text, tokenizer), split(answer.thoughts, tokenizer)];
  const calls = answer.calls.map(({ name, arguments: json }) => ({ name, pieces: split(json, tokenizer) }));
  const simulated: SimulatedAnswer = {
    id: "0123456789abcdefghijklmn",
    createdAtSeconds: 1_700_000_000,
    model: asked.model,
    pieces: pieces.map(({ text }) => text),
    thoughts: thoughts.map(({ text }) => text),
    toolCalls: calls.map((one, index) => ({
      id: `abcdefghijklmnopqrstuvw${index}`,
      name: one.name,
      pieces: one.pieces.map(({ text }) => text),
      isWhole: true,
    })),
    finish: calls.length > 0 ? "tool_calls" : "stop",
    stoppedBy: null,
    usage: {
      input: inputTokens,
      cached: cachedInputTokens,
      written: 0,
      writtenForHours: 0,
      text: sum(pieces) + calls.reduce((all, one) => all + trueCount[tokenizer](one.name) + sum(one.pieces), 0),
      reasoning: sum(thoughts),
    },
  };
  const frames = [...vendor.writeStream(simulated, asked)];
  const generated = new Generated({ pieces, thoughts, calls: calls.map((one) => ({ ...one, tokens: trueCount[tokenizer](one.name) })) });
  const byFrame = frames.map((frame) => generated.take(frame, vendor.callsComeWhole));
  return {
    frames,
    bill: (count) => {
      const [text, reasoning] = byFrame.slice(0, count).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
      // Anthropic counts the first token as soon as the message starts.
      const outputTokens = Math.max(text + reasoning, vendor === anthropic && count > 0 ? 1 : 0);
      return { ...noTokens, inputTokens, cachedInputTokens, outputTokens, reasoningTokens: reasoning };
    },
  };
}

const sum = (pieces: readonly Piece[]): number => pieces.reduce((all, { tokens }) => all + tokens, 0);

function readRequest(vendor: Vendor, { path, body, headers }: ReturnType<WireFormat["buildRequest"]>): SimulatedCall {
  const url = new URL(`/${path}`, "http://localhost");
  const found = ["", "/v1beta", "/v1"]
    .map((prefix) => vendor.readPath(prefix + url.pathname, url.searchParams))
    .find((one) => one !== null);
  if (!found) throw new Error(`nothing is at ${path}`);
  const call = vendor.readCall(JSON.parse(body), found, headers);
  if (typeof call === "string") throw new Error(call);
  return call;
}

/** OpenAI's as its cookbook counts a chat; the others' by a mark for each message, and tools as their JSON. */
function countInput({ provider }: Vendor, { messages, tools }: SimulatedCall, tokenizer: TokenizerName): number {
  const count = trueCount[tokenizer];
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  if (provider !== "openai") {
    const ofMessages = messages.reduce((all, { text }) => all + count(text) + 1, 0);
    const ofCalls = calls.reduce((all, call) => all + count(call.name) + count(call.arguments), 0);
    return ofMessages + ofCalls + tools.reduce((all, tool) => all + count(JSON.stringify(tool)), 0);
  }
  const chat = messages.flatMap(({ role, text, toolCalls = [] }) => {
    const [first, ...others] = toolCalls.map(({ name, arguments: json }) => ({ name, arguments: json }));
    const message = { role: role === "tool" ? "function" : role, content: text, ...(first && { function_call: first }) };
    return [message, ...others.map((call) => ({ content: "", function_call: call }))];
  });
  const functions = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return computeChatCompletionTokenCount({ messages: chat, ...(functions.length > 0 && { functions }) } as never, count);
}

/** How many tokens of text and of thoughts were generated for each frame. Hidden thoughts come before the frame that follows them. */
class Generated {
  readonly #pieces: Piece[];
  readonly #thoughts: Piece[];
  readonly #calls: { pieces: Piece[]; tokens: number }[];
  #call: Piece[] = [];

  constructor({ pieces, thoughts, calls }: { pieces: Piece[]; thoughts: Piece[]; calls: { pieces: Piece[]; tokens: number }[] }) {
    [this.#pieces, this.#thoughts, this.#calls] = [[...pieces], [...thoughts], calls.map((call) => ({ ...call }))];
  }

  take({ text, isDelta }: Frame, callsComeWhole: boolean): [text: number, thoughts: number] {
    if (/"thinking_delta"|"reasoning_content":"/.test(text)) return [0, this.#thoughts.shift()?.tokens ?? 0];
    if (/"output_item.added".*"type":"reasoning"/s.test(text)) return [0, this.#takeThoughts()];
    const isCall = /"tool_calls":\[|"input_json_delta"|"tool_use"|"functionCall"|function_call/.test(text);
    if (isCall && !isDelta && /"name":/.test(text)) return [this.#begin(), 0];
    if (!isDelta) return [0, 0];
    if (isCall && callsComeWhole) return [this.#begin() + sum(this.#call), this.#takeThoughts()];
    return [(isCall ? this.#call : this.#pieces).shift()?.tokens ?? 0, this.#takeThoughts()];
  }

  #takeThoughts(): number {
    const tokens = sum(this.#thoughts);
    this.#thoughts.length = 0;
    return tokens;
  }

  #begin(): number {
    const call = this.#calls.shift();
    this.#call = [...(call?.pieces ?? [])];
    return call?.tokens ?? 0;
  }
}
