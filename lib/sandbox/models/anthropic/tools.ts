// Tools and output formats of an Anthropic request: their schemas, the rules beyond the schemas, and what they require of an answer.
// Source: docs.anthropic.com/en/docs/agents-and-tools/tool-use, docs.anthropic.com/en/docs/build-with-claude/structured-outputs.

import { z } from "zod/mini";
import type { BrokenRule, SimulatedCall, SimulatedTool, ToolChoice } from "../vendor";

const unread = z.optional(z.unknown());
const name = z.string().check(z.regex(/^[a-zA-Z0-9_-]{1,128}$/));

const customTool = z.strictObject({
  type: z.nullish(z.literal("custom")),
  name,
  description: z.optional(z.string()),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.optional(z.boolean()),
  cache_control: unread,
  allowed_callers: unread,
  defer_loading: unread,
  eager_input_streaming: unread,
  input_examples: unread,
});
// The names of Anthropic's own tools end with their version date: web_search_20250305.
const serverTool = z.looseObject({ type: z.string().check(z.regex(/_\d{8}$/)), name });

export const tools = z.array(z.union([customTool, serverTool]));

const disable_parallel_tool_use = z.optional(z.boolean());
export const toolChoice = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auto"), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal("any"), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal("none") }),
]);

export const outputFormat = z.strictObject({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) });
export const outputConfig = z.strictObject({
  effort: z.nullish(z.enum(["low", "medium", "high", "xhigh", "max"])),
  format: z.nullish(outputFormat),
  task_budget: unread,
});

export interface ToolFields {
  tools?: z.infer<typeof tools>;
  tool_choice?: z.infer<typeof toolChoice>;
  thinking?: { type: string };
  output_config?: z.infer<typeof outputConfig>;
  output_format?: z.infer<typeof outputFormat> | null;
}

export function findToolRule(fields: ToolFields): BrokenRule | null {
  const { tools = [], tool_choice: choice, thinking } = fields;
  const names = tools.map((tool) => tool.name);
  if (new Set(names).size < names.length) return { message: "tools: Tool names must be unique." };
  const combined = tools.findIndex((tool) => "input_schema" in tool && isCombined(tool.input_schema));
  if (combined !== -1) {
    return { message: `tools.${combined}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level` };
  }
  if (choice === undefined) return null;
  if (tools.length === 0) return { message: "tool_choice: tool_choice may only be specified while providing tools." };
  if (choice.type === "tool" && !names.includes(choice.name)) {
    return { message: `tool_choice.name: Tool '${choice.name}' not found in provided tools` };
  }
  const isForced = choice.type === "any" || choice.type === "tool";
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  return isForced && thinks ? { message: "Thinking may not be enabled when tool_choice forces tool use." } : null;
}

const isCombined = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && ["oneOf", "allOf", "anyOf"].some((keyword) => keyword in schema);

const LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems"];

/** Structured outputs support a subset of JSON Schema: objects must be closed, and limits on numbers and lengths are not allowed. */
export function findFormatRule({ output_config, output_format }: ToolFields): BrokenRule | null {
  const schema = formatOf({ output_config, output_format })?.schema;
  const problem = schema === undefined ? null : findSchemaProblem(schema);
  return problem === null ? null : { message: `output_config.format.schema: ${problem}` };
}

function findSchemaProblem(given: unknown): string | null {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return null;
  const schema: Record<string, unknown> = { ...given };
  if (schema.type === "object" && schema.additionalProperties !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  const limit = LIMITS.find((keyword) => schema[keyword] !== undefined);
  if (limit !== undefined) return `For '${String(schema.type)}' type, property '${limit}' is not supported`;
  const maps = [schema.properties, schema.$defs, schema.definitions].flatMap((map) => Object.values(map ?? {}) as unknown[]);
  const lists = [schema.anyOf, schema.oneOf, schema.allOf, schema.items].flat();
  for (const part of [...maps, ...lists]) {
    const problem = findSchemaProblem(part);
    if (problem !== null) return problem;
  }
  return null;
}

export function readTools(fields: ToolFields): Pick<SimulatedCall, "tools" | "toolChoice" | "parallelToolCalls" | "json"> {
  const choice = fields.tool_choice;
  const format = formatOf(fields);
  return {
    tools: (fields.tools ?? []).flatMap(readTool),
    toolChoice: readChoice(choice),
    parallelToolCalls: !(choice !== undefined && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use === true),
    json: format && { schema: format.schema },
  };
}

function readTool(tool: z.infer<typeof tools>[number]): SimulatedTool[] {
  // The caller does not answer Anthropic's own tools, so none is ever called here.
  if (!("input_schema" in tool)) return [];
  const { name, description, input_schema } = tool as z.infer<typeof customTool>;
  return [{ name, description, parameters: input_schema }];
}

function readChoice(choice: ToolFields["tool_choice"]): ToolChoice {
  switch (choice?.type) {
    case "any":
      return { mode: "required" };
    case "tool":
      return { mode: "required", names: [choice.name] };
    case "none":
      return { mode: "none" };
    default:
      return { mode: "auto" };
  }
}

// `output_format` is the field's name from before general availability.
const formatOf = ({ output_config, output_format }: ToolFields) => output_config?.format ?? output_format ?? undefined;
