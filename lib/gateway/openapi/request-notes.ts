// Additions of the docs to a request's schema: a sentence for each field, with its default. A test checks these lists against the schemas
// that validate.

import { samplingOptions } from "@/lib/providers/sampling";

/** Sentences by the path of their field, such as `messages[].role`. */
export type FieldNotes = Readonly<Record<string, string>>;

export const promptNotes: FieldNotes = {
  model: "A model ID or alias.",
  prompt: "The prompt, at most as long as the model's context window.",
  payment:
    "A wallet's signed payment for this request. By default the account's balance pays. GET /api/v1/payment-terms returns the text to sign, POST /api/v1/quote the amount.",
  "payment.from": "The paying wallet's address, lowercase or checksummed.",
  "payment.amount": "USDC cents. At least the request's maximum cost, rounded up.",
  "payment.signature": "The signature over the four lines, as personal_sign returns it.",
  "payment.timestamp": "When it was signed, Unix milliseconds. At most five minutes from the server's time when it first arrives.",
  "payment.requestId": "Your own ID for this payment, used once: req_ and a number.",
  "payment.network": "ethereum or base. Both mean the chain this service settles on.",
  system: "System instruction for the model.",
  maxTokens:
    "Maximum tokens in the answer, up to the model's maxOutputTokens. Default: 1,024, or less if the model allows less. It also limits how much is reserved.",
  temperature: "Sampling temperature. Default: the provider's own.",
  stream: "true to stream the answer as server-sent events. Default: false.",
  maxCost: "Maximum cost in USD. A request that could cost more is rejected with 400 before the model is called.",
  clipToBalance:
    "true to lower maxTokens to what your balance or payment, the key's spending limit and maxCost allow, instead of an error. Never below the key's minimum (256 by default). The response then includes clippedTo. Default: the key's setting, or false.",
};

export const chatNotes: FieldNotes = {
  model: "A model ID or alias.",
  messages: "The conversation, oldest message first.",
  "messages[].role": "system, developer, user, assistant or tool. developer is treated as system.",
  "messages[].content":
    "A text, or an array of text parts and, from a user, image parts: a data URL or an https URL, with detail low, high (the default) or original. Audio, PDF and other files are rejected with 400. An assistant's content may be null.",
  "messages[].refusal": "Used as the content of an assistant message without content.",
  "messages[].tool_calls": "The function calls from an earlier answer, unchanged.",
  "messages[].tool_call_id": "For role tool: the ID of the call this message answers.",
  max_tokens: "Older name of max_completion_tokens. If both are set, max_completion_tokens is used.",
  max_completion_tokens:
    "Maximum tokens in the answer. A larger value than the model's maxOutputTokens is lowered to it. Default: 16,384, or less if the model, your balance, the key's spending limit or maxCost allows less. It also limits how much is reserved.",
  reasoning_effort: "How much the model reasons before it answers, if it can. Reasoning counts as output, within the limit.",
  reasoning: "Same as reasoning_effort, in OpenRouter's form: effort, max_tokens, enabled. reasoning_effort takes precedence.",
  thinking: "Same as reasoning_effort, in Anthropic's form: enabled or disabled, with a budget in tokens.",
  verbosity: "low, medium or high: how long the answer is, for models that support it.",
  ...Object.fromEntries(samplingOptions.map(([, { field, note }]) => [field, note])),
  seed: "Requests with the same seed and fields tend to get the same answer, if the provider supports it.",
  stop: "Up to four texts. The answer stops before any of them.",
  n: "Must be 1. Send one request per answer.",
  stream: "true to stream the answer in chunks, as server-sent events. Default: false.",
  stream_options: "Options for streaming.",
  "stream_options.include_usage": "true to get usage and cost in the last chunk, before [DONE]. Default: false.",
  tools: "Functions the model can call, up to 128.",
  "tools[].type": "Always function.",
  "tools[].function": "The function's name, description and arguments, as a JSON Schema.",
  tool_choice: "none, auto, required or any, one function by name, or allowed_tools. Default: auto if there are tools.",
  parallel_tool_calls: "false for at most one function call per answer, if the provider supports it.",
  response_format: "text, json_object, or json_schema with the answer's schema.",
  maxCost: "Maximum cost in USD. A request that could cost more is rejected with 400 before the model is called. Not an OpenAI field.",
  clipToBalance:
    "true to lower the token limit to what your balance, the key's spending limit and maxCost allow, instead of an error. Default: the key's setting, or false. Not an OpenAI field.",
};

export const responseNotes: FieldNotes = {
  model: "A model ID or alias.",
  input: "A text, or items in order: messages, reasoning, calls and their outputs.",
  "input[].type":
    "message, reasoning, a call (function_call, custom_tool_call, tool_search_call), its output, additional_tools, configuration_update, or compaction. Default: message. compaction_trigger at the end requests a summary of the conversation instead of an answer: one compaction item to send in later inputs.",
  "input[].namespace": "For a call: unchanged from the earlier answer.",
  "input[].encrypted_content":
    "For a reasoning or compaction item: unchanged from the earlier answer. Reasoning is only passed to the model that wrote it, a summary to every model.",
  "input[].phase": "For an assistant's message: unchanged from the earlier answer.",
  instructions: "System instruction for the model.",
  tools:
    "Functions and custom tools the model can call, up to 128 in total, including those in namespaces. Tools that OpenAI hosts are dropped and named in X-Dropped-Tools.",
  tool_choice: "auto, none, required, one tool by its type and name, or allowed_tools.",
  parallel_tool_calls: "false to allow at most one call per answer, if the provider supports it.",
  text: "The answer's format and verbosity.",
  "text.format": "text, json_object, or json_schema with the schema the answer must follow.",
  "text.verbosity": "low, medium or high: how long the answer is, for models that support it.",
  reasoning: "Whether and how much the model reasons.",
  "reasoning.effort": "From none to max. The nearest level the model supports is used.",
  "reasoning.summary": "auto, concise or detailed to get a summary of the reasoning.",
  include: "reasoning.encrypted_content to get reasoning that you can send back. Other values are ignored.",
  max_output_tokens:
    "Maximum tokens in the answer, reasoning included. A larger value than the model's maxOutputTokens is lowered to it. Default: 16,384, or less if the model, your balance, the key's spending limit or maxCost allows less. It also limits how much is reserved.",
  temperature: "Sampling temperature. Default: the provider's own.",
  top_p: "Nucleus sampling.",
  metadata: "Returned with the answer.",
  stream: "true to stream the answer as server-sent events. Default: false.",
  maxCost: "Maximum cost in USD. A request that could cost more is rejected with 400 before the model is called. Not an OpenAI field.",
  clipToBalance:
    "true to lower max_output_tokens to what your balance, the key's spending limit and maxCost allow, instead of an error. Default: the key's setting, or false. Not an OpenAI field.",
};

export const embeddingNotes: FieldNotes = {
  model: "An embedding model: GET /api/v1/models lists it with outputModalities embedding.",
  input: "One text, an array of up to 2,048 texts, or their tokens. At most 8,192 tokens each.",
  encoding_format: "float for numbers, base64 for little-endian 32-bit floats. Default: float.",
  dimensions: "How many numbers each embedding has, for models that support it. Default: the model's maximum.",
  user: "Your ID of an end user, up to 64 characters of it. It is stored with the charge and not passed on.",
  maxCost: "Maximum cost in USD. A request that could cost more is rejected with 400. Not an OpenAI field.",
};
