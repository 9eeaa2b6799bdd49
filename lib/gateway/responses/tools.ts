// The tools of a response's request: functions and custom tools are the client's own, and reach every model. Tools that OpenAI hosts are
// dropped and named in a header, unless the request forces one of them.

import { z } from "zod";
import type { CallOptions, Tool, ToolChoice } from "@/lib/providers/types";
import { isRecord } from "@/lib/providers/wire-value";
import { type Issue, parseGiven, readIssues } from "../http/request";
import { isJsonSchema } from "./json-schema";

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");

const functionTool = z.object({
  type: z.literal("function"),
  name,
  description: z.string().nullish(),
  parameters: isJsonSchema.nullish(),
  strict: z.boolean().nullish(),
});

const customTool = z.object({
  type: z.literal("custom"),
  name,
  description: z.string().nullish(),
  format: z
    .discriminatedUnion(
      "type",
      [
        z.object({ type: z.literal("text") }),
        z.object({ type: z.literal("grammar"), syntax: z.enum(["lark", "regex"]), definition: z.string().min(1, "must not be empty") }),
      ],
      "must be text or grammar",
    )
    .nullish(),
});

/** A tool that reaches the model. */
export const ownTool = z.discriminatedUnion("type", [functionTool, customTool]);
/** The type of a tool that OpenAI runs itself; it may stand in a header. */
const hostedType = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "must be function or custom");
const chosenTool = z.object({ type: hostedType, name: z.string().optional() });

export const toolChoiceSchema = z.union(
  [
    z.enum(["none", "auto", "required"]),
    z.object({ type: z.literal("allowed_tools"), mode: z.enum(["auto", "required"]), tools: z.array(chosenTool) }),
    z.object({ type: z.enum(["function", "custom"]), name }),
    chosenTool,
  ],
  'must be none, auto, required, {"type": "function" or "custom", "name": …} or {"type": "allowed_tools", …}',
);

interface ToolFields {
  tools?: readonly unknown[] | null | undefined;
  tool_choice?: z.infer<typeof toolChoiceSchema> | null | undefined;
  parallel_tool_calls?: boolean | null | undefined;
}

interface ToolReading {
  options: Pick<CallOptions, "tools" | "toolChoice" | "parallelToolCalls">;
  /** Types of hosted tools that are left out. */
  dropped: string[];
  issues: Issue[];
}

/** The tools that reach the model. */
export function readResponsesTools({ tools: given, tool_choice, parallel_tool_calls }: ToolFields): ToolReading {
  const tools: Tool[] = [];
  const dropped: string[] = [];
  const issues: Issue[] = [];
  for (const [index, one] of (given ?? []).entries()) {
    const read = readTool(one, index);
    if ("issues" in read) issues.push(...read.issues);
    else if ("hosted" in read) dropped.push(read.hosted);
    else tools.push(read.tool);
  }
  if (issues.length > 0) return { options: {}, dropped, issues };
  const { allowed, choice, problem } = readChoice(tool_choice, tools, dropped);
  if (problem) return { options: {}, dropped, issues: [{ path: "tool_choice", message: problem }] };
  if (allowed.length === 0) return { options: {}, dropped, issues };
  return { options: { tools: allowed, toolChoice: choice, parallelToolCalls: parallel_tool_calls ?? undefined }, dropped, issues };
}

function readTool(given: unknown, index: number): { tool: Tool } | { hosted: string } | { issues: Issue[] } {
  const path = `tools.${index}`;
  if (!isRecord(given)) return { issues: [{ path, message: "must be a tool" }] };
  if (given.type !== "function" && given.type !== "custom") {
    const type = hostedType.safeParse(given.type);
    return type.success ? { hosted: type.data } : { issues: [{ path: `${path}.type`, message: "must be function or custom" }] };
  }
  const parsed = parseGiven(ownTool, given);
  if (!parsed.success) return { issues: readIssues(parsed.error, []).map((issue) => ({ ...issue, path: `${path}.${issue.path}` })) };
  return { tool: parsed.data.type === "custom" ? readCustomTool(parsed.data) : readFunction(parsed.data) };
}

const readFunction = ({ name: called, description, parameters, strict }: z.infer<typeof functionTool>): Tool => ({
  name: called,
  description: description ?? undefined,
  parameters: parameters ?? undefined,
  strict: strict ?? undefined,
});

/** For models without custom tools: a function whose only argument is the input, and whose description holds the grammar. */
function readCustomTool({ name: called, description, format }: z.infer<typeof customTool>): Tool {
  const grammar = format?.type === "grammar" ? `It must match this grammar (${format.syntax}):\n${format.definition}` : "";
  const parts = [description ?? "", 'Write the whole input, as plain text, into "input".', grammar];
  return {
    name: called,
    description: parts.filter((part) => part !== "").join("\n\n"),
    parameters: { type: "object", properties: { input: { type: "string" } }, required: ["input"], additionalProperties: false },
    custom: { description: description ?? undefined, format: format ?? undefined },
  };
}

interface Choice {
  /** The tools that may be called. */
  allowed: readonly Tool[];
  choice?: ToolChoice | undefined;
  problem?: string;
}

function readChoice(given: ToolFields["tool_choice"], tools: readonly Tool[], dropped: readonly string[]): Choice {
  if (given === null || given === undefined || typeof given === "string") {
    const forcesNothing = given !== "required" || tools.length > 0;
    return forcesNothing ? { allowed: tools, choice: given ?? undefined } : { allowed: [], problem: nothingToForce(dropped) };
  }
  if ("mode" in given) {
    const names = new Set(given.tools.map((one) => one.name));
    const allowed = tools.filter((tool) => names.has(tool.name));
    if (allowed.length > 0 || given.mode === "auto") return { allowed, choice: given.mode };
    return { allowed, problem: nothingToForce(given.tools.map(({ type }) => type)) };
  }
  const { type, name: called } = given;
  if (type !== "function" && type !== "custom") return { allowed: [], problem: hostedProblem(type) };
  const isKnown = tools.some((tool) => tool.name === called && (tool.custom !== undefined) === (type === "custom"));
  if (called === undefined || !isKnown) return { allowed: [], problem: `names a ${type} tool that is not among tools` };
  return { allowed: tools, choice: { name: called } };
}

const hostedProblem = (type: string): string =>
  `forces ${type}, which OpenAI hosts and this service does not: send a function or a custom tool instead`;

function nothingToForce(hosted: readonly string[]): string {
  const [type] = hosted;
  return type === undefined ? "needs tools to choose from" : hostedProblem(type);
}
