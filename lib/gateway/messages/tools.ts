// The tools of a Messages request. Tools that run at Anthropic, or whose form only Anthropic knows, are dropped and named in a header; a
// request that forces one is refused.

import { z } from "zod";
import type { CallOptions, Tool } from "@/lib/providers/types";
import { jsonObject } from "../http/json-object";
import type { Issue } from "../http/request";
import { cacheMark, lifetimeOf } from "../prompt/parts";
import type { ToolNames } from "../prompt/tool-calls/names";

/** Far more than anybody sends, and few enough to read quickly. */
const MAX_TOOLS = 1_024;

const tool = z.object({
  /** Absent or `custom`: the caller's own. Any other is Anthropic's: `web_search_20250305`, `bash_20250124`, `mcp_toolset` … */
  type: z.string().nullish(),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,128}$/, "must be 1 to 128 letters, digits, _ or -")
    .nullish(),
  description: z.string().nullish(),
  input_schema: jsonObject.nullish(),
  strict: z.boolean().nullish(),
  cache_control: cacheMark,
});

type GivenTool = z.infer<typeof tool>;

/**
 * A tool that can be called from here on, or no more, in a system message among the others: one of `tools` by its name, or a new one with its
 * definition. Tools of MCP servers run at Anthropic. platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
export const toolChange = z.object({
  type: z.enum(["tool_addition", "tool_removal"]),
  tool: z.discriminatedUnion("type", [
    z.object({ type: z.literal("tool_reference"), name: z.string() }),
    z.object({ type: z.literal("tool_definition"), definition: tool }),
    z.object({ type: z.enum(["mcp_tool_reference", "mcp_toolset_reference"]) }),
  ]),
  cache_control: cacheMark,
});

/** The change in words, since no other model has such a block; null where it concerns no tool here. */
export function toolChangeText({ type, tool: changed }: z.infer<typeof toolChange>): string | null {
  const name = changed.type === "tool_reference" ? changed.name : changed.type === "tool_definition" ? changed.definition.name : undefined;
  if (!name) return null;
  return type === "tool_addition" ? `The tool ${name} can be called now.` : `The tool ${name} cannot be called any more.`;
}

const disable_parallel_tool_use = z.boolean().nullish();

export const toolFields = {
  tools: z.array(tool).max(MAX_TOOLS, `must have at most ${MAX_TOOLS} tools`).nullish(),
  tool_choice: z
    .discriminatedUnion(
      "type",
      [
        z.object({ type: z.enum(["auto", "any"]), disable_parallel_tool_use }),
        z.object({ type: z.literal("none") }),
        z.object({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use }),
      ],
      'must be {"type": "auto"}, {"type": "any"}, {"type": "none"} or {"type": "tool", "name": …}',
    )
    .nullish(),
};

const fields = z.object(toolFields);

type ToolFields = z.infer<typeof fields>;

interface ReadTools {
  options: Pick<CallOptions, "tools" | "toolChoice" | "parallelToolCalls">;
  /** The names of tools that were dropped. */
  dropped: string[];
}

const isCustom = ({ type }: GivenTool): boolean => type === undefined || type === null || type === "custom";

export function readTools({ tools, tool_choice: choice }: ToolFields, names: ToolNames | undefined, issues: Issue[]): ReadTools {
  const dropped: string[] = [];
  const kept: Tool[] = [];
  const known = new Set<string>();
  for (const [index, given] of (tools ?? []).entries()) {
    if (!isCustom(given)) dropped.push(given.name ?? given.type ?? "");
    else if (!given.name) issues.push({ path: `tools.${index}.name`, message: "is required and must be a string" });
    else if (!given.input_schema) issues.push({ path: `tools.${index}.input_schema`, message: "is required and must be a JSON object" });
    else if (!known.has(given.name)) {
      // Of two with the same name the first counts: providers refuse the second.
      known.add(given.name);
      kept.push(toolOf(given, calledAs(given.name, names), given.input_schema));
    }
  }
  checkChoice(choice, { known, dropped }, issues);
  if (kept.length === 0) return { options: {}, dropped };
  return { options: { tools: kept, ...choiceOf(choice, names) }, dropped };
}

/** Anthropic's names have up to 128 characters, the others' up to 64: there a longer one is called by another. */
const calledAs = (name: string, names: ToolNames | undefined): string => names?.add({ kind: "function", name }) ?? name;

const toolOf = ({ description, strict, cache_control }: GivenTool, name: string, parameters: Record<string, unknown>): Tool => ({
  name,
  description: description ?? undefined,
  parameters,
  strict: strict ?? undefined,
  cache: lifetimeOf(cache_control),
});

function checkChoice(
  choice: ToolFields["tool_choice"],
  { known, dropped }: { known: ReadonlySet<string>; dropped: string[] },
  issues: Issue[],
): void {
  if (choice?.type === "tool" && !known.has(choice.name)) {
    const message = dropped.includes(choice.name)
      ? `forces ${choice.name.slice(0, 128)}, which only runs at Anthropic. Force one of your own tools, or none`
      : "names a tool that is not in tools";
    issues.push({ path: "tool_choice.name", message });
  }
  if (choice?.type === "any" && known.size === 0) {
    issues.push({ path: "tool_choice", message: "requires a tool call, but there is no tool to call. Send one, or use auto" });
  }
}

function choiceOf(choice: ToolFields["tool_choice"], names: ToolNames | undefined): Pick<CallOptions, "toolChoice" | "parallelToolCalls"> {
  if (!choice) return {};
  if (choice.type === "none") return { toolChoice: "none" };
  const toolChoice = choice.type === "tool" ? { name: calledAs(choice.name, names) } : choice.type === "any" ? "required" : "auto";
  return { toolChoice, parallelToolCalls: choice.disable_parallel_tool_use ? false : undefined };
}
