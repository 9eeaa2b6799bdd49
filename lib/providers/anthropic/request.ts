// A model call in the words of Anthropic's messages, and what each Claude takes of it. Image blocks belong here once they exist.

import type { ChatMessage, ModelCall, ResponseFormat, Tool, ToolCall, WireRequest } from "../types";
import { readJsonObject } from "../wire-value";
import { narrowSchema } from "./schema";

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

type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: object }
  | { type: "tool_result"; tool_use_id: string; content?: string };

interface AnthropicMessage {
  role: "user" | "assistant";
  content: string | Block[];
}

/**
 * All messages but those of the system. Calls of tools are blocks of the assistant's message, and their results are blocks of the one user
 * message that follows (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/handle-tool-calls).
 */
export function anthropicMessages(messages: readonly ChatMessage[]): AnthropicMessage[] {
  const turns: AnthropicMessage[] = [];
  /** The blocks of a user message that begins with results; what the user says next belongs to it, behind them. */
  let results: Block[] | undefined;
  for (const message of messages) {
    switch (message.role) {
      case "system":
        break;
      case "assistant":
        results = undefined;
        turns.push({
          role: "assistant",
          content: message.toolCalls?.length ? callBlocks(message.content, message.toolCalls) : message.content,
        });
        break;
      case "user":
        if (results === undefined) turns.push({ role: "user", content: message.content });
        else results.push(...textBlocks(message.content));
        break;
      case "tool":
        if (results === undefined) {
          results = [];
          turns.push({ role: "user", content: results });
        }
        results.push(resultBlock(message.toolCallId, message.content));
        break;
    }
  }
  return turns;
}

function callBlocks(text: string, calls: readonly ToolCall[]): Block[] {
  const blocks = calls.map(({ id, name, arguments: text }): Block => ({ type: "tool_use", id: wireId(id), name, input: readInput(text) }));
  return [...textBlocks(text), ...blocks];
}

function resultBlock(callId: string, content: string): Block {
  return { type: "tool_result", tool_use_id: wireId(callId), content: content === "" ? undefined : content };
}

/** A text block must hold more than white space; a string in place of blocks may not. */
function textBlocks(text: string): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** Anthropic's ids are letters, digits, _ and -; another provider's, which the customer sends back, may hold more. */
function wireId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}

/**
 * Arguments are text here and an object there. What is no object (a model wrote broken JSON and the customer answered it
 * with an error as the result) becomes {}: refusing it would end a conversation that only needs to go on.
 */
const readInput = (text: string): object => readJsonObject(text) ?? {};

interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
}

interface AnthropicToolChoice {
  type: "auto" | "none" | "any" | "tool";
  name?: string;
  disable_parallel_tool_use?: boolean;
}

interface Choice {
  tool_choice?: AnthropicToolChoice;
  /** For the system prompt, where the model takes no tool_choice that says it. */
  instruction?: string;
}

/**
 * The customer's functions as Anthropic's tools, and the choice among them:
 * https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/define-tools. Nothing without tools: a tool_choice alone is answered with 400.
 */
function anthropicTools(call: ModelCall, wireName: string): Choice & { tools?: AnthropicTool[] } {
  if (call.tools === undefined || call.tools.length === 0) return {};
  return { tools: call.tools.map(anthropicTool), ...chooseTool(call, wireName) };
}

/**
 * `strict` is left out: Anthropic holds a model only to a part of JSON Schema, to 20 tools and to 16 values that may be null
 * among all of them ("Schema complexity limits" of structured outputs), and answers 400 beyond, where OpenAI's strict tools,
 * which make each optional value nullable, go on.
 */
function anthropicTool({ name, description, parameters }: Tool): AnthropicTool {
  // The type is required, and absent in what OpenAI takes for a function without arguments.
  const input_schema = parameters === undefined ? { type: "object", properties: {} } : { type: "object", ...parameters };
  return { name, description, input_schema };
}

function chooseTool({ toolChoice, parallelToolCalls }: ModelCall, wireName: string): Choice {
  const disable_parallel_tool_use = parallelToolCalls === false ? true : undefined;
  if (toolChoice === undefined) return disable_parallel_tool_use ? { tool_choice: { type: "auto", disable_parallel_tool_use } } : {};
  // Of the four, `none` alone has no such field.
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (toolChoice === "auto") return { tool_choice: { type: "auto", disable_parallel_tool_use } };
  const name = toolChoice === "required" ? undefined : toolChoice.name;
  if (takesForcedTools(wireName)) return { tool_choice: { type: name === undefined ? "any" : "tool", name, disable_parallel_tool_use } };
  // Anthropic's own advice for these models: leave the choice to the model, and ask for the tool in words.
  const instruction = name === undefined ? "Answer by calling at least one of the tools." : `Answer by calling the tool ${name}.`;
  return { tool_choice: { type: "auto", disable_parallel_tool_use }, instruction };
}

interface OutputFormat {
  output_config?: { format: { type: "json_schema"; schema: Record<string, unknown> } };
  /** For the system prompt. */
  instruction?: string;
}

const jsonOnly = "Answer with one JSON object and nothing else: no code fence, no words before or after it.";

/**
 * The form of an answer: Anthropic's structured outputs where the model and the schema allow it, words in the system prompt elsewhere
 * (https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs). There is no mode for "any JSON". The format's name is left
 * out, which Anthropic does not know; its description goes into the schema.
 */
function anthropicOutputFormat(format: ResponseFormat | undefined, wireName: string): OutputFormat {
  if (format === undefined) return {};
  if (format.type === "json_object") return { instruction: jsonOnly };
  const schema = format.description === undefined ? format.schema : { description: format.description, ...format.schema };
  const narrowed = takesOutputFormat(wireName) ? narrowSchema(schema) : undefined;
  if (narrowed !== undefined) return { output_config: { format: { type: "json_schema", schema: narrowed } } };
  return { instruction: `${jsonOnly} It follows this JSON Schema: ${JSON.stringify(schema)}` };
}

// What a Claude model takes is told by its name alone, after Anthropic's migration guides, so that models of the operator's own
// configuration follow them too. A name that is no Claude's takes what the oldest models take.

/** Temperature and top_p: from Claude Opus 4.7 on, either is answered with 400 (.../about-claude/models/migration-guide). */
function takesSampling(wireName: string): boolean {
  return (readVersion(wireName)?.version ?? 0) < 407;
}

/**
 * `output_config.format`, generally available without a beta header from Claude 4.5 on:
 * https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs
 */
function takesOutputFormat(wireName: string): boolean {
  return (readVersion(wireName)?.version ?? 0) >= 405;
}

// "Forced tool use returns an error": What's new in Claude Opus 5.5 and in Claude Sonnet 5.5. Claude Haiku 5.5 still takes it.
const firstWithoutForcedTools = new Map([
  ["opus", 505],
  ["sonnet", 505],
  ["fable", 501],
  ["mythos", 501],
]);

/** A tool_choice of `any` or `tool`. */
function takesForcedTools(wireName: string): boolean {
  const model = readVersion(wireName);
  return model === undefined || model.version < (firstWithoutForcedTools.get(model.family) ?? Number.POSITIVE_INFINITY);
}

/** claude-opus-4-7 is opus and 407; undefined before Claude 4, whose names have another form, and for other models. */
function readVersion(wireName: string): { family: string; version: number } | undefined {
  const match = /claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(wireName);
  if (match === null) return undefined;
  const [, family = "", major, minor = "0"] = match;
  return { family, version: Number(major) * 100 + Number(minor) };
}
