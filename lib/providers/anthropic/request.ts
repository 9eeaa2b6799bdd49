// A model call in the words of Anthropic's messages. Image blocks belong here once they exist.

import type { ModelCall, WireRequest } from "../types";
import { takesSampling } from "./abilities";
import { anthropicMessages } from "./messages";
import { anthropicOutputFormat } from "./output-format";
import { anthropicTools } from "./tools";

/** What Anthropic has no word for (seed, penalties) is left out. */
export function buildAnthropicRequest(call: ModelCall, wireName: string, apiKey: string): WireRequest {
  const { tools, tool_choice, instruction: toolInstruction } = anthropicTools(call, wireName);
  const { output_config, instruction: formatInstruction } = anthropicOutputFormat(call.responseFormat, wireName);
  const system = call.messages.filter(({ role }) => role === "system").map(({ content }) => content);
  for (const instruction of [toolInstruction, formatInstruction]) if (instruction !== undefined) system.push(instruction);
  return {
    path: "v1/messages",
    headers: { "content-type": "application/json", "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: wireName,
      max_tokens: call.maxOutputTokens,
      // There is no system role among the messages: wherever it stood, it comes first.
      system: system.length === 0 ? undefined : system.join("\n\n"),
      messages: anthropicMessages(call.messages),
      tools,
      tool_choice,
      output_config,
      stop_sequences: stopSequences(call.stop),
      stream: call.stream || undefined,
      ...sampling(call, wireName),
    }),
  };
}

/**
 * Ours is a temperature of 0 to 2 as at OpenAI, Anthropic's 0 to 1. The numbers mean the same up to 1, so they are kept and
 * cut there: halving them would change every answer that was asked for at 0.7 or 1. From Claude Opus 4.1 on, temperature
 * and top_p together are answered with 400, and older models advise against it: the temperature goes first.
 */
function sampling({ temperature, topP }: ModelCall, wireName: string): { temperature?: number; top_p?: number } {
  if (!takesSampling(wireName)) return {};
  return temperature === undefined ? { top_p: topP } : { temperature: Math.min(temperature, 1) };
}

/** "each stop sequence must contain non-whitespace": a blank one is answered with 400, so OpenAI's usual "\n" is left out. */
function stopSequences(stop: ModelCall["stop"]): string[] | undefined {
  const sequences = stop?.filter((sequence) => sequence.trim() !== "") ?? [];
  return sequences.length === 0 ? undefined : sequences;
}
