// What some models of this wire format refuse although their vendor's other models accept it.
// Source: platform.openai.com/docs/guides/reasoning, docs.x.ai/docs/guides/reasoning, api-docs.deepseek.com/guides/thinking_mode.

import type { BrokenRule } from "../vendor";
import type { ChatRequest } from "./fields";

const REASONING_MODEL = /^(o\d|gpt-([5-9]|\d\d)(?!.*-chat))/;
const O_SERIES = /^o\d/;
// From gpt-5.6 on, chat completions accepts functions only without reasoning.
const NO_TOOLS_WHILE_REASONING = /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)([.-]|$)/;

export const isReasoningModel = (model: string): boolean => REASONING_MODEL.test(model);

/** OpenAI's reasoning models refuse `max_tokens`, `stop`, and any sampling but the default. */
export function findReasoningRule(request: ChatRequest): BrokenRule | null {
  const { model } = request;
  if (NO_TOOLS_WHILE_REASONING.test(model) && request.tools?.length && request.reasoning_effort !== "none") {
    return {
      message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
      param: "reasoning_effort",
    };
  }
  if (!REASONING_MODEL.test(model)) return null;
  if (typeof request.max_tokens === "number") {
    return unsupported(
      "max_tokens",
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    );
  }
  if (typeof request.temperature === "number" && request.temperature !== 1) {
    return {
      message: `Unsupported value: 'temperature' does not support ${request.temperature} with this model. Only the default (1) value is supported.`,
      param: "temperature",
      code: "unsupported_value",
    };
  }
  const { top_p, presence_penalty, frequency_penalty, logprobs, top_logprobs, stop, parallel_tool_calls } = request;
  const refused = { top_p, presence_penalty, frequency_penalty, logprobs, top_logprobs, stop };
  return findGiven(O_SERIES.test(model) ? { ...refused, parallel_tool_calls } : refused);
}

function findGiven(fields: Record<string, unknown>): BrokenRule | null {
  const given = Object.keys(fields).find((name) => fields[name] !== undefined && fields[name] !== null);
  return given === undefined ? null : unsupported(given, `Unsupported parameter: '${given}' is not supported with this model.`);
}

function unsupported(param: string, message: string): BrokenRule {
  return { message, param, code: "unsupported_parameter" };
}

/** xAI's reasoning models, all without `non-reasoning` in their name, refuse penalties and `stop`. */
export function findXaiRule({ model, presence_penalty, frequency_penalty, stop }: ChatRequest): BrokenRule | null {
  if (/non-reasoning/.test(model)) return null;
  const fields = { presencePenalty: presence_penalty, frequencyPenalty: frequency_penalty, stop };
  const given = Object.entries(fields).find(([, value]) => value !== undefined && value !== null);
  return given === undefined ? null : { message: `Argument not supported on this model: ${given[0]}` };
}

/** DeepSeek has no JSON schemas, and its thinking models restrict the use of tools. */
export function findDeepseekRule(request: ChatRequest): BrokenRule | null {
  if (request.response_format?.type === "json_schema") return { message: "This response_format type is unavailable now" };
  if (request.model === "deepseek-chat" || request.thinking?.type === "disabled") return null;
  const choice = request.tool_choice;
  if (choice === "required" || (typeof choice === "object" && choice !== null)) {
    return { message: "Thinking mode does not support this tool_choice" };
  }
  const index = request.messages.findIndex(
    (message) => message.role === "assistant" && message.tool_calls && typeof message.reasoning_content !== "string",
  );
  return index === -1 ? null : { message: `Missing \`reasoning_content\` field in the assistant message at message index ${index}.` };
}
