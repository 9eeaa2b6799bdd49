// Refusals of prompts that are too long, as public bug reports have them.

import { expect, test } from "vitest";
import { findOverflow } from "./overflow";

const tokens = (given?: number, limit?: number, output?: number) => ({ unit: "tokens", given, output, limit });

test.each<[source: string, words: string, found: object]>([
  ["Anthropic, claude-code#57296", "prompt is too long: 209375 tokens > 200000 maximum", tokens(209_375, 200_000)],
  [
    "Anthropic, claude-code#476",
    "input length and `max_tokens` exceed context limit: 154690 + 64000 > 200000, decrease input length or `max_tokens` and try again",
    tokens(154_690, 200_000, 64_000),
  ],
  [
    "Gemini, gemini-cli#12493",
    "The input token count (1236488) exceeds the maximum number of tokens allowed (1048576).",
    tokens(1_236_488, 1_048_576),
  ],
  [
    "Gemini, without its count",
    "The input token count exceeds the maximum number of tokens allowed 1048576.",
    tokens(undefined, 1_048_576),
  ],
  [
    "Vertex AI",
    "Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.",
    tokens(40_000, 32_768),
  ],
  [
    "OpenAI, chat completions",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
    tokens(9_001, 8_192),
  ],
  [
    "OpenAI, chat completions with an output limit",
    "This model's maximum context length is 8192 tokens. However, you requested 9223 tokens (5127 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    tokens(5_127, 8_192, 4_096),
  ],
  [
    "OpenAI, with functions",
    "This model's maximum context length is 16385 tokens. However, you requested 17180 tokens (12921 in the messages, 163 in the functions, and 4096 in the completion). Please reduce the length of the messages, functions, or completion.",
    tokens(13_084, 16_385, 4_096),
  ],
  [
    "OpenAI, embeddings",
    "This model's maximum context length is 8192 tokens, however you requested 10000 tokens (10000 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
    tokens(10_000, 8_192),
  ],
  ["OpenAI, Responses", "Your input exceeds the context window of this model. Please adjust your input and try again.", tokens()],
  [
    "OpenAI, GPT-5",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300123 tokens. Please reduce the length of the messages.",
    tokens(300_123, 272_000),
  ],
  ["xAI, cline#3120", "This model's maximum prompt length is 131072 but the request contains 136973 tokens.", tokens(136_973, 131_072)],
  [
    "DeepSeek, zed#57718",
    "This model's maximum context length is 1048576 tokens. However, you requested 1787370 tokens (1403370 in the messages, 384000 in the completion). Please reduce the length of the messages or completion.",
    tokens(1_403_370, 1_048_576, 384_000),
  ],
  [
    "vLLM, an output limit that does not fit",
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000).",
    tokens(30_000, 32_768, 8_192),
  ],
  [
    "vLLM",
    "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
    tokens(5_000, 4_096),
  ],
  [
    "vLLM, older",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.",
    tokens(5_000, 4_096),
  ],
  [
    "Mistral",
    "Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    tokens(40_960, 32_768),
  ],
  ["Groq", "Please reduce the length of the messages or completion.", tokens()],
  [
    "Cerebras",
    "Please reduce the length of the messages or completion. Current length is 10210 while limit is 8192",
    tokens(10_210, 8_192),
  ],
  [
    "OpenRouter",
    "This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741 tokens (1227853 of text input, 353 of tool input, 65535 in the output). Please reduce the length of either one, or use the context-compression plugin.",
    tokens(1_228_206, 1_048_576, 65_535),
  ],
  [
    "OpenRouter, poolside, pi#4943",
    "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
    tokens(131_393, 131_040),
  ],
  [
    "Together, litellm#4934",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`",
    tokens(80_125, 4_097, 4_096),
  ],
  [
    "SGLang",
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
    tokens(30_000, 32_768, 10_000),
  ],
  ["SGLang, the input alone", "The input (5000 tokens) is longer than the model's context length (4096 tokens).", tokens(5_000, 4_096)],
  ["Text Generation Inference", "Input validation error: `inputs` must have less than 4096 tokens. Given: 5012", tokens(5_012, 4_096)],
  [
    "Cohere",
    "too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130021. Try using a shorter prompt.",
    tokens(130_021, 128_000),
  ],
  ["LiteLLM", "litellm.ContextWindowExceededError: BadRequestError", tokens()],
  [
    "Azure",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens (129000 in the messages, 1001 in the functions). Please reduce the length of the messages or functions.",
    tokens(130_001, 128_000),
  ],
  ["Fireworks", "The prompt is too long: 150000, model maximum context length: 131071", tokens(150_000, 131_071)],
  ["Ollama", "prompt too long; exceeded max context length by 12 tokens", tokens()],
  ["Ollama, embeddings", "the input length exceeds the context length", tokens()],
  ["llama.cpp, continue#9797", "the request exceeds the available context size, try increasing it", tokens()],
  ["llama.cpp", "request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it", tokens(5_012, 4_096)],
  [
    "Moonshot, kimi-cli#2011",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
    tokens(269_030, 262_144),
  ],
  ["NVIDIA", "Input length 1217 exceeds maximum allowed token size 512", tokens(1_217, 512)],
  ["Perplexity", "[400] Messages have 16865 tokens, which exceeds the max limit of 8192 tokens.", tokens(16_865, 8_192)],
  [
    "Alibaba, qwen-code#350",
    "InternalError.Algo.InvalidParameter: Range of input length should be [1, 1048576]",
    tokens(undefined, 1_048_576),
  ],
  ["MiniMax, QwenPaw#1273", "invalid params, context window exceeds limit", tokens()],
  ["z.ai, opencode#27629", "tokens in request more than max tokens allowed", tokens()],
  ["Amazon Bedrock", "Input is too long for requested model.", tokens()],
  [
    "OpenAI, a text of ten million characters",
    "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
    tokens(),
  ],
])("%s", (_source, words, found) => {
  expect(findOverflow(words, [])).toEqual(found);
});

test("numbers that do not exceed their limit are left out", () => {
  expect(findOverflow("Please reduce the length of the messages. Current length is 10 while limit is 8192", [])).toEqual(
    tokens(undefined, 8_192),
  );
});

test("a code alone says it, whatever the words", () => {
  expect(findOverflow("No.", ["context_length_exceeded", "invalid_request_error"])).toEqual(tokens());
});

test.each([
  "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
  "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
  "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 20000, Requested 12000.",
  "Number of request tokens has exceeded your per-minute rate limit",
  "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 4096 instead.",
  "tools.0.custom.input_schema: JSON schema is invalid",
  "",
])("no overflow: %s", (words) => {
  expect(findOverflow(words, ["invalid_request_error"])).toBeUndefined();
});

test("a long text is read in time that grows with its length", () => {
  const startedAt = performance.now();
  for (const piece of ["prompt contains 1 tokens ", "requested 1 tokens (", "1,".repeat(10), "invalid 'messages"]) {
    findOverflow(piece.repeat(4_800 / piece.length), []);
  }
  expect(performance.now() - startedAt).toBeLessThan(200);
});
