// What the docs add to a request's schema: a sentence for each field, with its default. A test checks these lists against the schemas that
// validate.

/** Sentences by the path of their field, such as `messages[].role`. */
export type FieldNotes = Readonly<Record<string, string>>;

export const promptNotes: FieldNotes = {
  model: "A name or an alias from the catalogue.",
  prompt: "The prompt: from one character up to the model's context window.",
  payment:
    "A wallet's signed payment for this request. Without it the account's balance pays. GET /api/v1/payment-terms says what to sign, POST /api/v1/quote how many cents.",
  "payment.from": "The paying wallet's address, in lower case or with its checksum.",
  "payment.amount": "USDC cents: at least what the request can cost, rounded up.",
  "payment.signature": "Of the four lines, as personal_sign returns it.",
  "payment.timestamp": "When it was signed, Unix milliseconds: within five minutes from now when it first comes.",
  "payment.requestId": "Chosen by the payer, and used once: req_ and a number.",
  "payment.network": "ethereum, or base: both are the chain that this service settles on.",
  system: "System instruction for the model.",
  maxTokens:
    "Maximum tokens in the answer, up to the model's maxOutputTokens. Default: 1,024, or less if the model allows less. It also limits how much is reserved.",
  temperature: "Sampling temperature. Default: the provider's own.",
  stream: "true for the answer piece by piece, as server-sent events. Without it false.",
  maxCost: "Maximum cost in USD. A request that could cost more is rejected with 400 before the model is called.",
  clipToBalance:
    "true: when balance, cap or maxCost allow less than maxTokens, the limit is lowered to what they allow instead of a 402, down to the key's minimum (256 unless it has its own). The answer says clippedTo. Default: the key's setting. It does not apply to x402.",
};

export const chatNotes: FieldNotes = {
  model: "A name or an alias from the catalogue.",
  messages: "The conversation, oldest message first.",
  "messages[].role": "system, developer, user, assistant or tool. developer is read as system.",
  "messages[].content":
    "A text, or an array of text parts. Images, audio and files are refused with 400: no model here takes them. An assistant's may be null.",
  "messages[].refusal": "Read as the content of an assistant's message that has none.",
  "messages[].tool_calls": "The function calls of an earlier answer, as the model gave them.",
  "messages[].tool_call_id": "Of a tool's message: which call it answers.",
  max_tokens: "The older name of max_completion_tokens, which wins.",
  max_completion_tokens:
    "Maximum tokens in the answer, up to the model's maxOutputTokens. Default: 16,384, or less if the model allows less, or if balance, cap or maxCost do. It also limits how much is reserved.",
  temperature: "Sampling temperature. Default: the provider's own.",
  top_p: "Chooses among the likeliest words whose shares add up to this.",
  frequency_penalty: "Above 0: words that came often come less often.",
  presence_penalty: "Above 0: words that came already come less often.",
  seed: "The same seed asks for the same answer, where the provider can.",
  stop: "Up to four texts. The answer ends before the first of them.",
  n: "Only 1: send a request for each answer.",
  stream: "true for the answer in chunks, as server-sent events. Without it false.",
  stream_options: "How a stream is sent.",
  "stream_options.include_usage": "true: the chunk before [DONE] has usage and cost.",
  tools: "Functions of yours that the model may ask for, at most 128.",
  "tools[].type": "Always function.",
  "tools[].function": "The function: its name, what it is for, and a JSON Schema of its arguments.",
  tool_choice: "none, auto, required, or one function by its name. Without it the model decides.",
  parallel_tool_calls: "false: at most one function call in an answer, where the provider can.",
  response_format: "text, json_object, or json_schema with the schema that the answer shall have.",
  maxCost: "Maximum cost in USD. A request that could cost more is rejected with 400 before the model is called. OpenAI has no such field.",
  clipToBalance: "As in a prompt: true lowers the limit to what balance, cap and maxCost allow instead of a 402. OpenAI has no such field.",
};
