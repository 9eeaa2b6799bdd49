// Tools and formats of a chat completions request: their schemas, the rules beyond the schemas, and what they require of an answer.
// Source: platform.openai.com/docs/api-reference/chat/create, platform.openai.com/docs/guides/structured-outputs.

import { z } from "zod/mini";
import type { BrokenRule, SimulatedCall, SimulatedTool, ToolChoice } from "../vendor";

const name = z.string().check(z.regex(/^[a-zA-Z0-9_-]{1,64}$/));
const schema = z.record(z.string(), z.unknown());
const functionFields = {
  name,
  description: z.nullish(z.string()),
  parameters: z.nullish(schema),
  strict: z.nullish(z.boolean()),
};
const customTool = z.looseObject({ type: z.literal("custom"), custom: z.looseObject({ name }) });
const MAX_TOOLS = 128;

/** OpenAI's own schema: unknown fields are refused. */
export const strictTools = z
  .array(
    z.discriminatedUnion("type", [z.strictObject({ type: z.literal("function"), function: z.strictObject(functionFields) }), customTool]),
  )
  .check(z.minLength(1), z.maxLength(MAX_TOOLS));

/** The schema of the vendors that ignore unknown fields. */
export const lenientTools = z
  .array(z.looseObject({ type: z.literal("function"), function: z.looseObject(functionFields) }))
  .check(z.maxLength(MAX_TOOLS));

export const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) }),
  z.looseObject({ type: z.enum(["custom", "allowed_tools"]) }),
]);

export const responseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name,
      description: z.nullish(z.string()),
      schema: z.optional(schema),
      strict: z.nullish(z.boolean()),
    }),
  }),
]);

export interface ToolFields {
  tools?: z.infer<typeof lenientTools> | z.infer<typeof strictTools> | null;
  tool_choice?: z.infer<typeof toolChoice> | null;
  parallel_tool_calls?: boolean | null;
  response_format?: z.infer<typeof responseFormat> | null;
}

/** Fields that depend on others: a tool choice needs tools, and a chosen tool must exist. */
export function findToolRule({ tools, tool_choice, parallel_tool_calls }: ToolFields): BrokenRule | null {
  for (const [param, value] of Object.entries({ tool_choice, parallel_tool_calls })) {
    if (value === undefined || value === null || tools?.length) continue;
    return { message: `Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`, param };
  }
  const chosen = chosenName(tool_choice);
  const isKnown = chosen === undefined || functionsOf(tools).some((tool) => tool.name === chosen);
  return isKnown ? null : { message: `Tool choice '${chosen}' not found in 'tools' parameter.`, param: "tool_choice" };
}

/** JSON mode must also be requested in the prompt, otherwise a model may write white space forever. */
export function findJsonModeRule(format: ToolFields["response_format"], texts: readonly string[]): BrokenRule | null {
  if (format?.type !== "json_object" || texts.some((text) => /json/i.test(text))) return null;
  return {
    message: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    param: "messages",
  };
}

export function readTools(fields: ToolFields): Pick<SimulatedCall, "tools" | "toolChoice" | "parallelToolCalls" | "json"> {
  return {
    tools: functionsOf(fields.tools),
    toolChoice: readChoice(fields.tool_choice),
    parallelToolCalls: fields.parallel_tool_calls ?? true,
    json: readJson(fields.response_format),
  };
}

function functionsOf(tools: ToolFields["tools"]): SimulatedTool[] {
  return (tools ?? []).flatMap((tool) => {
    if (tool.type !== "function") return [];
    const { name, description, parameters } = tool.function;
    return [{ name, description: description ?? undefined, parameters: parameters ?? undefined }];
  });
}

function readChoice(choice: ToolFields["tool_choice"]): ToolChoice {
  const chosen = chosenName(choice);
  if (chosen !== undefined) return { mode: "required", names: [chosen] };
  return { mode: typeof choice === "string" ? choice : "auto" };
}

function chosenName(choice: ToolFields["tool_choice"]): string | undefined {
  return typeof choice === "object" && choice?.type === "function" ? choice.function.name : undefined;
}

function readJson(format: ToolFields["response_format"]): SimulatedCall["json"] {
  if (!format || format.type === "text") return undefined;
  return format.type === "json_object" ? {} : { schema: format.json_schema.schema };
}
