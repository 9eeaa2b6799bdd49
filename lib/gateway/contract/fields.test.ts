// Every field of a request that the vendors' own SDKs know: read, harmless to leave out, or refused with a cure. A field that a new version of
// an SDK adds fails to compile here until it is in its table; the tests prove what the tables say.

import Anthropic from "@anthropic-ai/sdk";
import type { MessageCreateParamsNonStreaming as BetaMessageParams } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { chatBodySchema } from "../chat/body";
import { messagesBodySchema } from "../messages/body";
import { responsesBodySchema } from "../responses/body";
import { openAccount } from "./testing/accounts";
import { chargesOf } from "./testing/books";
import { ask, QUESTION } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();

/** `refused`: a value that is refused. */
type Fate = "read" | `harmless: ${string}` | { refused: unknown; cure: RegExp };

const ours = "harmless: caches are kept by account, whatever a request says";
const names = "harmless: names your user to a provider; here it is kept with the charge";
const profile = "harmless: names your user to a provider, and nobody here reads it";
const tier = "harmless: every call is of the standard tier";
const betas = "harmless: a beta of Anthropic's, none of which reaches it";

const chat: Record<keyof ChatCompletionCreateParamsNonStreaming, Fate> = {
  model: "read",
  messages: "read",
  frequency_penalty: "read",
  presence_penalty: "read",
  max_completion_tokens: "read",
  max_tokens: "read",
  n: "read",
  parallel_tool_calls: "read",
  reasoning_effort: "read",
  response_format: "read",
  seed: "read",
  stop: "read",
  stream: "read",
  stream_options: "read",
  temperature: "read",
  tool_choice: "read",
  tools: "read",
  top_p: "read",
  verbosity: "read",
  audio: { refused: { voice: "alloy", format: "wav" }, cure: /don't return audio/ },
  modalities: { refused: ["text", "audio"], cure: /must contain only text/ },
  function_call: { refused: "auto", cure: /Use tool_choice instead/ },
  functions: { refused: [{ name: "f" }], cure: /Use tools instead/ },
  logit_bias: { refused: { 50256: -100 }, cure: /Remove it/ },
  logprobs: { refused: true, cure: /Remove it/ },
  top_logprobs: { refused: 5, cure: /Remove it/ },
  web_search_options: { refused: {}, cure: /Send a function that searches/ },
  moderation: { refused: { model: "omni-moderation-latest" }, cure: /Remove it/ },
  metadata: names,
  safety_identifier: names,
  user: names,
  prediction: "harmless: a guess that only saves time",
  prompt_cache_key: ours,
  prompt_cache_options: ours,
  prompt_cache_retention: ours,
  service_tier: tier,
  store: "harmless: nothing is stored, and nothing here reads what was",
};

const responses: Record<keyof ResponseCreateParamsNonStreaming, Fate> = {
  model: "read",
  input: "read",
  instructions: "read",
  include: "read",
  max_output_tokens: "read",
  metadata: "read",
  parallel_tool_calls: "read",
  reasoning: "read",
  stream: "read",
  temperature: "read",
  text: "read",
  tool_choice: "read",
  tools: "read",
  top_p: "read",
  background: { refused: true, cure: /Stream the answer instead/ },
  conversation: { refused: "conv_1", cure: /Send the earlier items/ },
  previous_response_id: { refused: "resp_1", cure: /Send the earlier items/ },
  prompt: { refused: { id: "pmpt_1" }, cure: /Send instructions and input/ },
  store: { refused: true, cure: /must be false/ },
  top_logprobs: { refused: 5, cure: /Remove it/ },
  moderation: { refused: { model: "omni-moderation-latest" }, cure: /Remove it/ },
  access_programs: "harmless: programs of an OpenAI account, and none is used",
  image: "harmless: of OpenAI's own image tool, which is left out",
  context_management: "harmless: the conversation stays whole, and an overflow is refused in OpenAI's words",
  truncation: "harmless: the conversation stays whole, and an overflow is refused in OpenAI's words",
  max_tool_calls: "harmless: of tools that OpenAI runs, which are left out",
  stream_options: "harmless: padding of a stream",
  prompt_cache_key: ours,
  prompt_cache_options: ours,
  prompt_cache_retention: ours,
  safety_identifier: names,
  user: names,
  service_tier: tier,
};

/** Sampling left the types with version 1; older clients send it. */
type OlderField = "temperature" | "top_k" | "top_p";

const messages: Record<keyof MessageCreateParamsNonStreaming | keyof BetaMessageParams | OlderField, Fate> = {
  model: "read",
  messages: "read",
  max_tokens: "read",
  cache_control: "read",
  output_config: "read",
  output_format: "read",
  stop_sequences: "read",
  stream: "read",
  system: "read",
  temperature: "read",
  thinking: "read",
  tool_choice: "read",
  tools: "read",
  top_k: "read",
  top_p: "read",
  thread: { refused: { type: "create" }, cure: /Send the whole conversation instead/ },
  betas,
  billing_policy: betas,
  compaction: "harmless: the conversation stays whole, and an overflow is refused in Anthropic's words",
  context_management: "harmless: the conversation stays whole, and an overflow is refused in Anthropic's words",
  container: "harmless: of code that runs at Anthropic, which is left out",
  diagnostics: "harmless: a report on the cache",
  fallback_credit_token: betas,
  fallbacks: "harmless: no other model than the named one answers",
  inference_geo: "harmless: routes are the operator's, as the models page names them",
  mcp_servers: "harmless: their tools run at Anthropic, and are left out",
  metadata: names,
  user_profile_id: profile,
  workspace_id: profile,
  service_tier: tier,
  speed: tier,
};

describe.each([
  ["chat", "/api/v1/chat/completions", chat, chatBodySchema.shape, { messages: [{ role: "user", content: QUESTION }] }],
  ["responses", "/api/v1/responses", responses, responsesBodySchema.shape, { input: QUESTION }],
  ["messages", "/api/v1/messages", messages, messagesBodySchema.shape, { max_tokens: 64, messages: [{ role: "user", content: QUESTION }] }],
])("the fields of %s", (_dialect, path, fates: Record<string, Fate>, shape: object, body) => {
  test("that are read stand in the schema, and harmless ones do not", () => {
    for (const [name, fate] of Object.entries(fates))
      expect([name, name in shape]).toEqual([name, typeof fate === "object" || fate === "read"]);
  });

  test("that are refused are refused with a cure, and cost nothing", async () => {
    const account = await openAccount();
    for (const [name, fate] of Object.entries(fates)) {
      if (typeof fate !== "object") continue;
      const { status, text } = await ask({
        url: service.url("node"),
        key: account.key,
        path,
        body: { model: "gpt-4o-mini", ...body, [name]: fate.refused },
      });
      expect([name, status]).toEqual([name, 400]);
      expect(text).toMatch(fate.cure);
    }
    expect(await chargesOf(account.accountId)).toEqual([]);
  });
});

test("Anthropic's client goes on without a thread, and with its whole conversation", async () => {
  const account = await openAccount();
  const fields = { model: "claude-haiku-4-5", max_tokens: 64, messages: [{ role: "user" as const, content: QUESTION }] };
  const { text } = await ask({
    url: service.url("node"),
    key: account.key,
    path: "/api/v1/messages",
    body: { ...fields, thread: { type: "create" } },
  });
  expect(JSON.parse(text)).toMatchObject({
    error: { type: "invalid_request_error", details: { error_code: "thread_unsupported_request" } },
  });
  const client = new Anthropic({ apiKey: account.key, baseURL: `${service.url("node")}/api`, maxRetries: 0 });
  await expect(client.beta.messages.thread({ ...fields, messages: [] }).send({ role: "user", content: QUESTION })).rejects.toMatchObject({
    errorCode: "thread_unsupported_request",
  });
  expect(await chargesOf(account.accountId)).toEqual([]);
  const { content } = await client.beta.messages.toolRunner({ ...fields, tools: [] });
  expect(content.length).toBeGreaterThan(0);
  expect(await chargesOf(account.accountId)).toHaveLength(1);
});
