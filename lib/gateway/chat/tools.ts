// The tools of a chat completion, and which of them its model may call or must.

import { z } from "zod";
import type { CallOptions, Tool, ToolChoice } from "@/lib/providers/types";
import { isRecord } from "@/lib/providers/wire-value";
import { jsonObject } from "../http/json-object";
import type { Issue } from "../http/request";
import { cacheMark, lifetimeOf } from "../prompt/parts";

/** OpenAI's own limit. */
const MAX_TOOLS = 128;

export const functionName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");

/** Cursor sends functions in the flat form of Responses among those of chat completions (BerriAI/litellm#34029). */
function nested(given: unknown): unknown {
  if (!isRecord(given) || given.function !== undefined || given.name === undefined) return given;
  const { type, cache_control, ...called } = given;
  return { type, cache_control, function: called };
}

const tool = z.preprocess(
  nested,
  z.object({
    // Mistral's client leaves it out: its default is function (docs.mistral.ai/api).
    type: z
      .literal(
        "function",
        "must be function. Send a custom tool as a function with one string parameter, or use POST /api/v1/responses. Tools hosted by OpenAI are not supported",
      )
      .nullish(),
    function: z.object({
      name: functionName,
      description: z.string().nullish(),
      parameters: jsonObject.nullish(),
      strict: z.boolean().nullish(),
    }),
    cache_control: cacheMark,
  }),
);

const named = z.object({ type: z.literal("function"), function: z.object({ name: functionName }) });

/** `any` is Mistral's word for required: docs.mistral.ai/capabilities/function_calling. */
const toolChoice = z.preprocess(
  nested,
  z.union(
    [
      z.enum(["none", "auto", "required", "any"]),
      named,
      z.object({
        type: z.literal("allowed_tools"),
        allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: z.array(named).max(MAX_TOOLS) }),
      }),
    ],
    'must be none, auto, required, {"type": "function", "function": {"name": …}} or {"type": "allowed_tools", …}',
  ),
);

export const toolFields = {
  tools: z.array(tool).max(MAX_TOOLS, `must have at most ${MAX_TOOLS} tools`).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

const fields = z.object(toolFields);

type ToolFields = z.infer<typeof fields>;
type ToolOptions = Pick<CallOptions, "tools" | "toolChoice" | "parallelToolCalls">;

export function readTools({ tools, tool_choice: choice, parallel_tool_calls }: ToolFields, issues: Issue[]): ToolOptions {
  const all = uniqueTools(tools ?? []);
  const unknown = namesIn(choice).find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) issues.push({ path: "tool_choice", message: "names a function that is not in tools" });
  const allowed = allowedOf(all, choice);
  if (allowed.length === 0) return {};
  return { tools: allowed, toolChoice: choiceOf(choice), parallelToolCalls: parallel_tool_calls ?? undefined };
}

/** Of two with the same name the first counts: most providers refuse the second. */
function uniqueTools(tools: NonNullable<ToolFields["tools"]>): Tool[] {
  const unique = new Map<string, Tool>();
  for (const { function: given, cache_control } of tools) {
    const { name, description, parameters, strict } = given;
    if (unique.has(name)) continue;
    unique.set(name, {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      strict: strict ?? undefined,
      cache: lifetimeOf(cache_control),
    });
  }
  return [...unique.values()];
}

type Choice = ToolFields["tool_choice"];

function namesIn(choice: Choice): string[] {
  if (typeof choice !== "object" || choice === null) return [];
  return choice.type === "function" ? [choice.function.name] : choice.allowed_tools.tools.map((one) => one.function.name);
}

/** The others are not sent: no provider but OpenAI has a field that forbids them. */
function allowedOf(tools: readonly Tool[], choice: Choice): readonly Tool[] {
  if (typeof choice !== "object" || choice?.type !== "allowed_tools") return tools;
  const names = new Set(namesIn(choice));
  return tools.filter(({ name }) => names.has(name));
}

function choiceOf(choice: Choice): ToolChoice | undefined {
  if (choice === "any") return "required";
  if (choice === null || choice === undefined || typeof choice === "string") return choice ?? undefined;
  return choice.type === "function" ? { name: choice.function.name } : choice.allowed_tools.mode;
}
