// The ceiling is never below the charge: generated requests, with caches and long prompts, through the real endpoints against the simulated
// models. LONG=1 tries 100,000 of them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { drawNumbers, isLong } from "@/lib/db/testing/sample";
import { openAccount } from "./testing/accounts";
import { chargesOf } from "./testing/books";
import { ask } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();

const RUNS = isLong ? 100_000 : 150;

const models = [
  "gpt-4o-mini",
  "gpt-5.6-luna",
  "gpt-6-luna",
  "claude-haiku-4-5",
  "claude-haiku-5-5",
  "gemini-2.5-flash-lite",
  "grok-4.20",
  "deepseek-chat",
];

/** Texts of many lengths; the few different ones repeat, so that later requests read what earlier ones wrote. */
const anyText = fc
  .tuple(fc.constantFrom("alpha ", "beta gamma ", "1234 ", "{}(); "), fc.constantFrom(1, 40, 400, 2_000, 6_000))
  .map(([word, times]) => word.repeat(times));

const anyRequest = fc.record({
  model: fc.constantFrom(...models),
  turns: fc.array(anyText, { minLength: 1, maxLength: 3 }),
  maxTokens: fc.integer({ min: 20, max: 300 }),
  dialect: fc.constantFrom("prompt", "chat", "messages", "responses"),
  mark: fc.constantFrom(null, "5m", "1h"),
  stream: fc.boolean(),
  reasoning: fc.constantFrom("", " reasoning=20"),
});

type AnyRequest = typeof anyRequest extends fc.Arbitrary<infer Value> ? Value : never;

/** Each kind of token is met at least once, whatever is generated: a write for an hour, the same read again, a write for minutes, reasoning. */
const certain: AnyRequest[] = [
  { mark: "1h" as const, word: "delta " },
  { mark: "1h" as const, word: "delta " },
  { mark: "5m" as const, word: "omega " },
].map(({ mark, word }) => ({
  model: "claude-haiku-5-5",
  turns: [word.repeat(2_000)],
  maxTokens: 100,
  dialect: "messages",
  mark,
  stream: false,
  reasoning: " reasoning=20",
}));

function writeRequest({ model, turns, maxTokens, dialect, mark, stream, reasoning }: AnyRequest): { path?: string; body: object } {
  const last = `${turns.at(-1)}[[simulate: tokens=500${model.startsWith("grok") ? "" : reasoning}]]`;
  const texts = [...turns.slice(0, -1), last];
  const messages = texts.map((content) => ({ role: "user", content }));
  switch (dialect) {
    case "chat":
      return { path: "/api/v1/chat/completions", body: { model, messages, max_tokens: maxTokens, stream } };
    case "responses":
      return { path: "/api/v1/responses", body: { model, input: messages, max_output_tokens: maxTokens, stream } };
    case "messages": {
      const cache_control = mark === null ? undefined : { type: "ephemeral", ttl: mark };
      const marked = texts.map((text, index) => ({
        role: "user",
        content: [{ type: "text", text, cache_control: index === texts.length - 1 ? cache_control : undefined }],
      }));
      return { path: "/api/v1/messages", body: { model, messages: marked, max_tokens: maxTokens, stream } };
    }
    default:
      return { body: { model, prompt: last, maxTokens, stream } };
  }
}

test(
  "no request costs more than was held for it, whatever its cache reads and writes",
  async () => {
    const account = await openAccount();
    const seed = Math.floor(drawNumbers("ceiling")() * 2 ** 31);
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest, async (given) => {
        const { path, body } = writeRequest(given);
        const { status, text } = await ask({ url: service.url("node"), key: account.key, path, body });
        expect(status, text.slice(0, 300)).toBe(200);
        sent += 1;
      }),
      { numRuns: RUNS, seed, examples: certain.map((one) => [one]) },
    );
    const charges = await chargesOf(account.accountId);
    expect(charges).toHaveLength(sent);
    expect(charges.filter((charge) => charge.operator_loss > 0n)).toEqual([]);
    const has = (column: "cached_input_tokens" | "cache_write_tokens" | "cache_write_1h_tokens" | "reasoning_tokens") =>
      charges.some((charge) => charge[column] > 0n);
    expect([has("cached_input_tokens"), has("cache_write_tokens"), has("cache_write_1h_tokens"), has("reasoning_tokens")]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  },
  isLong ? 7_200_000 : 300_000,
);
