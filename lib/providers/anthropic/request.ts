// A model call as a request to Anthropic's Messages API, and which options each Claude accepts. Image blocks belong here once they exist.

import { type ChatMessage, contentText, type ModelCall, type ResponseFormat, type Tool, type ToolCall, type WireRequest } from "../types";
import { readJsonObject } from "../wire-value";
import { narrowSchema } from "./schema";

/** Options that Anthropic does not support (seed, penalties) are left out. */
export function buildAnthropicRequest(call: ModelCall, wireName: string, apiKey: string): WireRequest {
  const { tools, tool_choice, instruction: toolInstruction } = anthropicTools(call, wireName);
  const { output_config, instruction: formatInstruction } = anthropicOutputFormat(call.responseFormat, wireName);
  const system = call.messages.filter(({ role }) => role === "system").map(({ content }) => contentText(content));
  for (const instruction of [toolInstruction, formatInstruction]) if (instruction !== undefined) system.push(instruction);
  return {
    path: "v1/messages",
    headers: { "content-type": "application/json", "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: wireName,
      max_tokens: call.maxOutputTokens,
      // Anthropic has no system role among the messages: every system message comes first, wherever it was.
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
 * Our temperature is 0 to 2, as at OpenAI; Anthropic's is 0 to 1. The numbers mean the same up to 1, so higher ones are capped
 * there: halving all of them would change every answer requested at 0.7 or 1. From Claude Opus 4.1 on, temperature and top_p
 * together get a 400, and older models advise against it: the temperature takes precedence.
 */
function sampling({ temperature, topP }: ModelCall, wireName: string): { temperature?: number; top_p?: number } {
  if (!takesSampling(wireName)) return {};
  return temperature === undefined ? { top_p: topP } : { temperature: Math.min(temperature, 1) };
}

/** "each stop sequence must contain non-whitespace": a blank one gets a 400, so OpenAI's usual "\n" is left out. */
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
 * All messages except system ones. Tool calls are blocks of the assistant's message, and their results are blocks of the single user
 * message that follows (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/handle-tool-calls).
 */
export function anthropicMessages(messages: readonly ChatMessage[]): AnthropicMessage[] {
  const turns: AnthropicMessage[] = [];
  /** The blocks of a user message that begins with results; the user's next text is appended to it. */
  let results: Block[] | undefined;
  for (const message of messages) {
    const text = contentText(message.content);
    switch (message.role) {
      case "system":
        break;
      case "assistant":
        results = undefined;
        turns.push({
          role: "assistant",
          content: message.toolCalls?.length ? callBlocks(text, message.toolCalls) : text,
        });
        break;
      case "user":
        if (results === undefined) turns.push({ role: "user", content: text });
        else results.push(...textBlocks(text));
        break;
      case "tool":
        if (results === undefined) {
          results = [];
          turns.push({ role: "user", content: results });
        }
        results.push(resultBlock(message.toolCallId, text));
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

/** A text block must contain more than white space; plain string content need not. */
function textBlocks(text: string): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** Anthropic's ids are letters, digits, _ and -; an id of another provider, which the customer sends back, may hold more. */
function wireId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}

/**
 * Our arguments are text, Anthropic's are an object. Text that is not an object (a model wrote broken JSON and the customer answered
 * it with an error as the result) becomes {}: refusing it would end a conversation that only needs to go on.
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
  /** For the system prompt, where the model accepts no tool_choice that says it. */
  instruction?: string;
}

/**
 * The customer's functions as Anthropic's tools, and the tool choice:
 * https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/define-tools. Neither is sent without tools: a lone tool_choice gets a 400.
 */
function anthropicTools(call: ModelCall, wireName: string): Choice & { tools?: AnthropicTool[] } {
  if (call.tools === undefined || call.tools.length === 0) return {};
  return { tools: call.tools.map(anthropicTool), ...chooseTool(call, wireName) };
}

/**
 * `strict` is left out: Anthropic enforces only a part of JSON Schema, for at most 20 tools and 16 nullable values among all of
 * them ("Schema complexity limits" of structured outputs), and beyond that answers 400, where OpenAI's strict tools, which make
 * each optional value nullable, still work.
 */
function anthropicTool({ name, description, parameters }: Tool): AnthropicTool {
  // Anthropic requires the type, which OpenAI's function without arguments does not have.
  const input_schema = parameters === undefined ? { type: "object", properties: {} } : { type: "object", ...parameters };
  return { name, description, input_schema };
}

function chooseTool({ toolChoice, parallelToolCalls }: ModelCall, wireName: string): Choice {
  const disable_parallel_tool_use = parallelToolCalls === false ? true : undefined;
  if (toolChoice === undefined) return disable_parallel_tool_use ? { tool_choice: { type: "auto", disable_parallel_tool_use } } : {};
  // Only `none` has no such field.
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (toolChoice === "auto") return { tool_choice: { type: "auto", disable_parallel_tool_use } };
  const name = toolChoice === "required" ? undefined : toolChoice.name;
  if (takesForcedTools(wireName)) return { tool_choice: { type: name === undefined ? "any" : "tool", name, disable_parallel_tool_use } };
  // Anthropic's own advice for these models: leave the choice to the model, and request the tool in the prompt.
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
 * The output format: Anthropic's structured outputs where the model and the schema allow it, otherwise an instruction in the system
 * prompt (https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs). There is no "any JSON" mode. The format's name is
 * left out, since Anthropic has no field for it; its description goes into the schema.
 */
function anthropicOutputFormat(format: ResponseFormat | undefined, wireName: string): OutputFormat {
  if (format === undefined) return {};
  if (format.type === "json_object") return { instruction: jsonOnly };
  const schema = format.description === undefined ? format.schema : { description: format.description, ...format.schema };
  const narrowed = takesOutputFormat(wireName) ? narrowSchema(schema) : undefined;
  if (narrowed !== undefined) return { output_config: { format: { type: "json_schema", schema: narrowed } } };
  return { instruction: `${jsonOnly} It follows this JSON Schema: ${JSON.stringify(schema)}` };
}

// What a Claude model accepts follows from its name alone, per Anthropic's migration guides, so that models which the operator
// configured follow them too. A name that is not a Claude's gets what the oldest models accept.

/** Temperature and top_p: from Claude Opus 4.7 on, either gets a 400 (.../about-claude/models/migration-guide). */
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

// "Forced tool use returns an error": What's new in Claude Opus 5.5 and in Claude Sonnet 5.5. Claude Haiku 5.5 still accepts it.
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

/** claude-opus-4-7 is opus and 407; undefined before Claude 4, whose names have another format, and for other models. */
function readVersion(wireName: string): { family: string; version: number } | undefined {
  const match = /claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(wireName);
  if (match === null) return undefined;
  const [, family = "", major, minor = "0"] = match;
  return { family, version: Number(major) * 100 + Number(minor) };
}
