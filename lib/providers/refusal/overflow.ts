// Recognises a prompt that is too long for its model in a provider's refusal, with the numbers that it gives. Each vendor and each server
// has words of its own, and few have a code. The wordings are from their bug reports and sources, read 2026-11-28, and from the lists that
// agents keep (Claude Code 2.1.332, opencode and pi: packages/ai/src/utils/overflow.ts in badlogic/pi-mono).

/** A prompt that its model cannot hold; the numbers are those that the provider gave. */
export interface Overflow {
  /** `bytes`: the request as a whole is larger than its provider takes (413). */
  unit: "tokens" | "bytes";
  /** Tokens of the input. */
  given?: number | undefined;
  /** The output limit, where it was counted with the input. */
  output?: number | undefined;
  /** The most that the model takes: of input, or of both together. */
  limit?: number | undefined;
}

const overflowCodes: readonly string[] = [
  "context_length_exceeded", // OpenAI, Azure, Groq, Cerebras
  "model_max_prompt_tokens_exceeded", // GitHub Copilot
  "exceed_context_size_error", // llama.cpp
  "model_context_window_exceeded", // z.ai
  "input_limit_exceeded_error", // Cohere
];

/** Words with numbers come before the same words without; groups: given, output, limit. */
const wordings: readonly RegExp[] = [
  // Anthropic
  /prompt is too long: (?<given>[\d,]+) tokens > (?<limit>[\d,]+) maximum/i,
  /input length and `?max_tokens`? exceed context limit: (?<given>[\d,]+) \+ (?<output>[\d,]+) > (?<limit>[\d,]+)/i,
  // Gemini, and Vertex AI
  /input token count \((?<given>[\d,]+)\) exceeds the maximum number of tokens allowed \((?<limit>[\d,]+)\)/i,
  /input token count exceeds the maximum number of tokens allowed(?: \(?(?<limit>[\d,]+))?/i,
  /input token count is (?<given>[\d,]+) but (?:the )?model (?:only )?supports up to (?<limit>[\d,]+)/i,
  // xAI
  /maximum prompt length is (?<limit>[\d,]+) but the request contains (?<given>[\d,]+) tokens/i,
  // OpenAI
  /maximum context length is (?<limit>[\d,]+) tokens\. However, your messages resulted in (?<given>[\d,]+) tokens/i,
  /input tokens exceed the configured limit of (?<limit>[\d,]+) tokens(?:\. Your messages resulted in (?<given>[\d,]+) tokens)?/i,
  // vLLM
  /is too large: (?<output>[\d,]+)\. This model's maximum context length is (?<limit>[\d,]+) tokens and your request has (?<given>[\d,]+) input/i,
  /maximum context length is (?<limit>[\d,]+) tokens\. However, your (?:request|prompt) (?:has|contains) (?:at least )?(?<given>[\d,]+) input/i,
  /passed (?<given>[\d,]+) input tokens and requested (?<output>[\d,]+) output tokens\. However, the model's context length is only (?<limit>[\d,]+)/i,
  /prompt \(length (?<given>[\d,]+)\) is longer than the maximum model length of (?<limit>[\d,]+)/i,
  /input length \((?<given>[\d,]+)\) exceeds model's maximum context length \((?<limit>[\d,]+)\)/i,
  // SGLang
  /maximum context length of (?<limit>[\d,]+) tokens\. You requested a total of [\d,]+ tokens: (?<given>[\d,]+) tokens from the input messages and (?<output>[\d,]+)/i,
  /input \((?<given>[\d,]+) tokens\) is longer than the model's context length \((?<limit>[\d,]+) tokens\)/i,
  // Mistral
  /prompt contains (?<given>[\d,]+) tokens[^.]{0,60} too large for model with (?<limit>[\d,]+) maximum context length/i,
  // Together and other servers of Hugging Face's kind
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>[\d,]+)\. Given: (?<given>[\d,]+) `inputs` tokens and (?<output>[\d,]+)/i,
  /`inputs` must have less than (?<limit>[\d,]+) tokens\. Given: (?<given>[\d,]+)/i,
  // Fireworks, Cerebras, Moonshot, llama.cpp, NVIDIA, Poolside, Perplexity, GitHub Copilot, LM Studio, Cohere, Alibaba
  /prompt is too long: (?<given>[\d,]+), model maximum context length: (?<limit>[\d,]+)/i,
  /current length is (?<given>[\d,]+) while limit is (?<limit>[\d,]+)/i,
  /exceeded model token limit: (?<limit>[\d,]+) \(requested: (?<given>[\d,]+)\)/i,
  /request \((?<given>[\d,]+) tokens\) exceeds the available context size \((?<limit>[\d,]+) tokens\)/i,
  /input length (?<given>[\d,]+) exceeds (?:the )?maximum allowed (?:input length of|token size) (?<limit>[\d,]+)/i,
  /messages have (?<given>[\d,]+) tokens, which exceeds the max limit of (?<limit>[\d,]+)/i,
  /prompt token count of (?<given>[\d,]+) exceeds the limit of (?<limit>[\d,]+)/i,
  /context length of only (?<limit>[\d,]+) tokens/i,
  /tokens in the prompt (?:exceeds the limit of|cannot exceed) (?<limit>[\d,]+)(?: - received (?<given>[\d,]+))?/i,
  /range of input length should be \[1, (?<limit>[\d,]+)\]/i,
  // The rest says how much is too much at most.
  /maximum context length (?:is|of) (?<limit>[\d,]+)/i,
  /prompt (?:is )?too long\b/i, // Anthropic; Ollama: "prompt too long; exceeded max context length"
  /exceeds? the (?:maximum |model's )?context (?:window|length)/i, // OpenAI's Responses, Ollama
  /input is too long for requested model/i, // Amazon Bedrock
  /reduce the length of the (?:input|messages|prompt)/i, // Groq
  /exceeds the available context size/i,
  /greater than the context length/i, // LM Studio
  /context window exceeds limit/i, // MiniMax
  /tokens in request more than max tokens allowed/i, // z.ai
  /context[ _]?(?:length|window)[ _]?exceeded/i, // LiteLLM
  /input token length too long|maximum context limit|prompt exceeds max length|context exceeds your deployment/i, // as Claude Code knows them
  /^invalid '(?:messages|input)\b[^']{0,100}': string too long/i, // OpenAI: a text of more than ten million characters
];

/** OpenAI, DeepSeek, OpenRouter and older vLLM: the tokens requested, and how many of them stand where. */
const requested = /requested (?:about )?([\d,]+) tokens(?: \(([^)]{1,200})\))?/i;
const share = /^(?:and )?([\d,]+) (?:in|of|for) (?:the |your )?([a-z]+)/i;

/** Undefined when the refusal has another cause. */
export function findOverflow(words: string, codes: readonly string[]): Overflow | undefined {
  for (const wording of wordings) {
    const found = wording.exec(words);
    if (!found) continue;
    const { given, output, limit } = found.groups ?? {};
    const shares = given === undefined ? readRequested(words) : undefined;
    return plausible(numberOf(limit), numberOf(given) ?? shares?.given, numberOf(output) ?? shares?.output);
  }
  return codes.some((code) => overflowCodes.includes(code)) ? { unit: "tokens" } : undefined;
}

/** Numbers that do not exceed their limit say something else than we read. */
function plausible(limit: number | undefined, given: number | undefined, output: number | undefined): Overflow {
  const exceeds = limit === undefined || given === undefined || given + (output ?? 0) > limit;
  return exceeds ? { unit: "tokens", given, output, limit } : { unit: "tokens", given: undefined, output: undefined, limit };
}

function readRequested(words: string): Pick<Overflow, "given" | "output"> | undefined {
  const found = requested.exec(words);
  if (!found) return undefined;
  const [, total, list = ""] = found;
  let [given, output] = [0, 0];
  for (const part of list.split(/[,;] /)) {
    const [, count, place = ""] = share.exec(part) ?? [];
    if (/^(?:completion|output)/i.test(place)) output += numberOf(count) ?? 0;
    else given += numberOf(count) ?? 0;
  }
  return given > 0 ? { given, output: output > 0 ? output : undefined } : { given: numberOf(total) };
}

function numberOf(digits: string | undefined): number | undefined {
  const value = digits === undefined ? Number.NaN : Number(digits.replaceAll(",", ""));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
