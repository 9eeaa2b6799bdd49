// The corpus of the outside world: a reply in each file of corpus/replies/, as a provider documents it or somebody recorded it, is read in
// every dialect, streamed and whole, whichever of the two the provider sent. It says the same in each, and costs its counts at the model's
// prices; or it fails, and a broken stream is never called finished.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { isLong, sample } from "@/lib/db/testing/sample";
import { startProvider } from "@/lib/providers/testing/provider-server";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { type Answer, ask, QUESTION } from "./testing/client";
import { type CountedUsage, type Fails, type ReplyEntry, readReplies, type Says } from "./testing/corpus";
import { type AskedDialect, askedDialects, readRefusal, readSaid, type Said } from "./testing/said";
import { openService } from "./testing/service";

/** Nano-USD a token; each kind has another. */
const prices = { input: 1_000, cache_read: 100, cache_write: 1_250, cache_write_1h: 2_000, image: 500, output: 5_000, reasoning: 7_000 };
const listed = Object.entries(prices).map(([kind, nanoUsd]) => ({ kind, per1M: String(nanoUsd / 1_000) }));
const PROVIDER_KEY = "sk-corpus-0123456789-never-shown";
const MAX_TOKENS = 4_000;

let sent: { entry: ReplyEntry; body: Buffer; isStream: boolean; pieceBytes: number } | undefined;
/** It ends anywhere: inside a letter, a line break, a field. */
const PIECE_BYTES = 61;
const host = await startProvider((response) => void answer(response));
const folder = mkdtempSync(join(tmpdir(), "corpus-"));
const write = (name: string, content: object) => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
};
const formats = ["openai", "openai-responses", "anthropic", "gemini"] as const;
const isOpenAI = (format: string) => format.startsWith("openai");
const service = await openService({
  env: {
    PROVIDERS_FILE: write("providers.json", {
      providers: formats.map((id) => ({
        id: `host-${id}`,
        baseUrl: `${host.url}/v1`,
        keyVariable: "CORPUS_API_KEY",
        format: isOpenAI(id) ? "openai" : id,
      })),
    }),
    MODELS_FILE: write("models.json", {
      models: formats.map((id) => ({
        id: `model-${id}`,
        routes: [{ provider: `host-${id}`, wireName: `wire-${id}`, providerCosts: listed, ...(isOpenAI(id) && { wireFormat: id }) }],
        contextWindow: 200_000,
        maxOutputTokens: 32_000,
        prices: listed,
      })),
    }),
    CORPUS_API_KEY: PROVIDER_KEY,
    SANDBOX_REAL_MODELS: "1",
  },
});
afterAll(async () => {
  await service.log.expectNoSecrets([PROVIDER_KEY]);
  await host.close();
  rmSync(folder, { recursive: true });
});

/** Sends the reply, in its pieces, each in a packet of its own. */
async function answer(response: ServerResponse): Promise<void> {
  if (!sent) throw new Error("no reply was chosen");
  const { entry, body, isStream, pieceBytes: size } = sent;
  response.writeHead(entry.status, { "content-type": isStream ? "text/event-stream" : "application/json" });
  for (let from = 0; from < body.length; from += size) {
    response.write(body.subarray(from, from + size));
    if (from + size < body.length) await new Promise((next) => setImmediate(next));
  }
  response.end();
}

function bodyOf(entry: ReplyEntry, isStream: boolean): Buffer {
  const written = ({ format, whole, stream }: ReplyEntry): string => {
    if (!isStream) return typeof whole === "string" ? whole : JSON.stringify(whole);
    const hasNames = format === "anthropic" || format === "openai-responses";
    const event = (data: Record<string, unknown>) => `${hasNames ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
    return (stream ?? []).map((one) => (typeof one === "string" ? one : event(one))).join("");
  };
  return Buffer.from(written(entry));
}

/** The request in a dialect, with a tool for each call. */
function requestOf(dialect: AskedDialect, names: readonly string[]): { path: string; body: object } {
  const messages = [{ role: "user", content: QUESTION }];
  const parameters = { type: "object", properties: {} };
  const toolsOf = (write: (name: string) => object) => (names.length > 0 ? { tools: [...new Set(names)].map(write) } : {});
  switch (dialect) {
    case "prompt":
      return { path: "/api/v1/prompt", body: { prompt: QUESTION, maxTokens: MAX_TOKENS } };
    case "chat": {
      const tools = toolsOf((name) => ({ type: "function", function: { name, parameters } }));
      return {
        path: "/api/v1/chat/completions",
        body: { messages, max_tokens: MAX_TOKENS, stream_options: { include_usage: true }, ...tools },
      };
    }
    case "messages": {
      const tools = toolsOf((name) => ({ name, input_schema: parameters }));
      return { path: "/api/v1/messages", body: { messages, max_tokens: MAX_TOKENS, ...tools } };
    }
    case "responses": {
      const tools = toolsOf((name) => ({ type: "function", name, parameters, strict: false }));
      const reasoning = { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] };
      return { path: "/api/v1/responses", body: { input: messages, max_output_tokens: MAX_TOKENS, ...reasoning, ...tools } };
    }
  }
}

const finishWords: Record<Exclude<AskedDialect, "prompt">, Record<Says["finish"], string>> = {
  chat: { stop: "stop", length: "length", tool_calls: "tool_calls", content_filter: "content_filter" },
  messages: { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", content_filter: "refusal" },
  responses: {
    stop: "completed",
    length: "incomplete: max_output_tokens",
    tool_calls: "completed",
    content_filter: "incomplete: content_filter",
  },
};

/** The counts in a dialect's own fields. */
function usageIn(dialect: AskedDialect, { input, output, cached, written, written1h, reasoning }: CountedUsage): object {
  switch (dialect) {
    case "prompt":
      return { inputTokens: input, outputTokens: output, totalTokens: input + output };
    case "chat":
      return {
        ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
        ...{ prompt_tokens_details: { cached_tokens: cached }, completion_tokens_details: { reasoning_tokens: reasoning } },
      };
    case "messages":
      return {
        ...{ input_tokens: input - cached - written - written1h, output_tokens: output, cache_read_input_tokens: cached },
        cache_creation_input_tokens: written + written1h,
        cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: written1h },
      };
    case "responses":
      return {
        ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
        input_tokens_details: { cached_tokens: cached, cache_write_tokens: written + written1h },
        output_tokens_details: { reasoning_tokens: reasoning },
      };
  }
}

/** JSON as it is meant; what a model cut stays a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What `/messages` has in place of an input that is no object. */
const asInput = (given: unknown) => (typeof given === "string" ? { arguments: given } : given);

function expectSaid(dialect: AskedDialect, stream: boolean, said: Said, says: Says): void {
  expect(said.error).toBeUndefined();
  expect(said.text).toBe(says.text);
  if (said.thinking !== undefined) expect(said.thinking).toBe(says.thinking);
  if (said.redacted !== undefined) expect(said.redacted).toBe(says.redacted);
  if (says.usage !== "estimated") expect(said.usage).toMatchObject(usageIn(dialect, says.usage));
  if (dialect === "prompt") return;
  const calls =
    dialect === "messages" && !stream ? says.calls.map((call) => ({ ...call, arguments: asInput(call.arguments) })) : says.calls;
  expect(said.calls.map((call) => ({ name: call.name, arguments: parsed(call.arguments) }))).toEqual(calls);
  const ids = said.calls.map(({ id }) => id);
  expect(ids.filter((id, index) => !id || ids.indexOf(id) !== index)).toEqual([]);
  const hasSequence = dialect === "messages" && says.stopSequence !== undefined;
  expect(said.finish).toBe(hasSequence ? "stop_sequence" : finishWords[dialect][says.finish]);
  if (hasSequence) expect(said.stopSequence).toBe(says.stopSequence);
}

/** The last charge: the counts, at their prices. */
async function expectCharged({ accountId }: TestAccount, nth: number, usage: Says["usage"]): Promise<void> {
  const charges = await chargesOf(accountId);
  expect(charges).toHaveLength(nth);
  const charge = charges.at(-1) ?? expect.fail("nothing was charged");
  const counted = {
    input: Number(charge.input_tokens),
    output: Number(charge.output_tokens),
    cached: Number(charge.cached_input_tokens),
    written: Number(charge.cache_write_tokens),
    written1h: Number(charge.cache_write_1h_tokens),
    image: Number(charge.image_tokens),
    reasoning: Number(charge.reasoning_tokens),
  };
  if (usage !== "estimated") expect(counted).toEqual(usage);
  expect(charge).toMatchObject({ outcome: "complete", estimated: usage === "estimated", operator_loss: 0n });
  const { input, output, cached, written, written1h, image, reasoning } = counted;
  const plain = input - cached - written - written1h - image;
  expect(Number(charge.input_cost)).toBe(
    plain * prices.input +
      cached * prices.cache_read +
      written * prices.cache_write +
      written1h * prices.cache_write_1h +
      image * prices.image,
  );
  expect(Number(charge.output_cost)).toBe((output - reasoning) * prices.output + reasoning * prices.reasoning);
}

const statuses: Record<Fails["code"], Record<AskedDialect, number>> = {
  INTERNAL_ERROR: { prompt: 500, chat: 500, messages: 500, responses: 500 },
  PROVIDER_BUSY: { prompt: 503, chat: 503, messages: 529, responses: 503 },
  INVALID_REQUEST: { prompt: 400, chat: 400, messages: 400, responses: 400 },
  context_length_exceeded: { prompt: 400, chat: 400, messages: 400, responses: 400 },
};
const isOpenAIDialect = (dialect: AskedDialect) => dialect === "chat" || dialect === "responses";

function expectFailed(dialect: AskedDialect, { status, text }: Answer, { code, words = "", after }: Fails, isStreamed: boolean): void {
  const ours = code === "context_length_exceeded" && !isOpenAIDialect(dialect) ? "INVALID_REQUEST" : code;
  const hasBegun = isStreamed && after !== undefined;
  expect({ status, text }).toMatchObject({ status: hasBegun ? 200 : statuses[code][dialect] });
  if (!hasBegun) {
    expect(readRefusal(dialect, text)).toMatchObject({ code: ours, message: expect.stringContaining(words) });
    return;
  }
  const said = readSaid(dialect, true, text);
  expect(said).toMatchObject({ text: after, error: { code: "INTERNAL_ERROR" } });
}

describe.each(readReplies())("%s", (name, entry) => {
  const { format, says, fails } = entry;
  const names = says?.calls.map(({ name }) => name) ?? [];
  // A prompt names no tools.
  const dialects = askedDialects.filter((dialect) => dialect !== "prompt" || names.length === 0);
  const forms = [false, true].filter((isStream) => (isStream ? entry.stream : entry.whole) !== undefined);
  // A stream in place of JSON, and JSON in place of a stream, are tried in one dialect in every run.
  const [crossed] = sample(`replies ${name}`, dialects, 1);
  const tried = forms
    .flatMap((isStream) => dialects.flatMap((dialect) => [false, true].map((stream) => ({ isStream, dialect, stream }))))
    .filter(({ isStream, dialect, stream }) => isLong || isStream === stream || dialect === crossed);

  test(
    says ? "says the same in every dialect, and costs its counts" : "fails in every dialect, and never passes as an answer",
    async () => {
      const account = await openAccount();
      let delivered = 0;
      for (const [index, { isStream, dialect, stream }] of tried.entries()) {
        forgetSingleton("circuitBreakers");
        const replied = bodyOf(entry, isStream);
        const pieceBytes = entry.pieceBytes ?? (dialect === crossed ? PIECE_BYTES : replied.length);
        sent = { entry, isStream, body: replied, pieceBytes };
        const { path, body } = requestOf(dialect, names);
        const url = service.url("node");
        const answered = await ask({ url, key: account.key, path, body: { ...body, model: `model-${format}`, stream } });
        const where = `${isStream ? "a stream" : "a whole reply"} in ${dialect}, ${stream ? "streamed" : "whole"}: ${answered.text.slice(0, 2_000)}`;
        try {
          if (says) {
            expect(answered.status).toBe(200);
            expectSaid(dialect, stream, readSaid(dialect, stream, answered.text), says);
            await expectCharged(account, index + 1, says.usage);
          } else if (fails) {
            expectFailed(dialect, answered, fails, stream && isStream);
            if (stream && isStream && fails.after !== undefined) delivered += 1;
          }
        } catch (error) {
          throw new Error(`${where}\n${error instanceof Error ? error.message : String(error)}`, { cause: error });
        }
      }
      if (fails && delivered === 0) await expectUncharged(account);
      await expectPaid(account);
      const outcomes = (await chargesOf(account.accountId)).map(({ outcome }) => outcome);
      if (fails) expect(outcomes).toEqual(Array(delivered).fill("partial"));
    },
  );
});
