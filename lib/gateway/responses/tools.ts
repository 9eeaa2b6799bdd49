// The tools of a response's request: functions and custom tools are the client's own, alone or in a namespace, and reach every model; so does
// the tool search that a client runs itself. Tools that OpenAI hosts are dropped and named in a header, unless the request forces one of them.

import { z } from "zod";
import type { Slices } from "@/lib/base/slices";
import type { CallOptions, Tool } from "@/lib/providers/types";
import { isRecord } from "@/lib/providers/wire-value";
import { itemWithFewFaults } from "../http/few-faults";
import { jsonObject } from "../http/json-object";
import { type Issue, parseGiven, readIssues } from "../http/request";
import { type ClientTool, ToolNames } from "../prompt/tool-calls/names";
import { hostedType, readChoice, type ToolChoiceField } from "./tool-choice";

/** OpenAI's own limit. */
const MAX_TOOLS = 128;
/** Those that a model cannot be given are refused later, by name; more than this are not looked at. */
const MAX_MEMBERS = 1_024;
const MAX_FAULTS = 20;

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");
/** OpenAI's limit inside a namespace. */
const memberName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, "must be 1 to 128 letters, digits, _ or -");

const functionTool = z.object({
  type: z.literal("function"),
  name,
  description: z.string().nullish(),
  parameters: jsonObject.nullish(),
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

const member = z.discriminatedUnion(
  "type",
  [functionTool.extend({ name: memberName }), customTool.extend({ name: memberName })],
  "must be function or custom",
);

/** Tools under one name, as Codex sends those of an MCP server. */
const namespaceTool = z.object({
  type: z.literal("namespace"),
  name: z.string().min(1, "must not be empty").max(128, "must have at most 128 characters"),
  description: z.string().nullish(),
  tools: z.array(member).max(MAX_MEMBERS, `must have at most ${MAX_MEMBERS} tools`),
});

/** A search for further tools that the client runs itself. */
const searchTool = z.object({
  type: z.literal("tool_search"),
  execution: z.literal("client"),
  description: z.string().nullish(),
  parameters: jsonObject.nullish(),
});

/** A tool that reaches the model. */
export const ownTool = z.discriminatedUnion("type", [functionTool, customTool, namespaceTool, searchTool]);

type OwnTool = z.infer<typeof ownTool>;
type SingleTool = z.infer<typeof functionTool> | z.infer<typeof customTool>;

export interface ToolFields {
  tools?: readonly unknown[] | null | undefined;
  tool_choice?: ToolChoiceField;
  parallel_tool_calls?: boolean | null | undefined;
  input: string | readonly unknown[];
}

interface ToolReading {
  options: Pick<CallOptions, "tools" | "toolChoice" | "parallelToolCalls">;
  names: ToolNames;
  /** The request's own `tools` that reach the model, as they were understood. */
  echo: object[];
  /** Types of hosted tools that are left out. */
  dropped: string[];
  issues: Issue[];
}

/** The tools that reach the model, those that items of the input bring included. Of two with the same name the first counts. */
export function* readResponsesTools(fields: ToolFields): Slices<ToolReading> {
  const reading: ToolReading = { options: {}, names: new ToolNames(), echo: [], dropped: [], issues: [] };
  const { names, echo, dropped, issues } = reading;
  const tools: Tool[] = [];
  for (const { path, given, isEchoed } of givenTools(fields)) {
    const read = readTool(given, path);
    if ("issues" in read) issues.push(...read.issues);
    else if ("hosted" in read) dropped.push(read.hosted);
    else {
      if (isEchoed) echo.push(echoOf(read.own));
      for (const { tool, client } of singleTools(read.own)) if (!names.has(client)) tools.push(toolOf(tool, names.add(client)));
    }
    if (tools.length > MAX_TOOLS) issues.push({ path: "tools", message: `must be at most ${MAX_TOOLS}, including those in namespaces` });
    if (tools.length > MAX_TOOLS || issues.length >= MAX_FAULTS) break;
    yield;
  }
  if (issues.length > 0) return reading;
  const { allowed, choice, problem } = readChoice(fields.tool_choice, { tools, names, dropped });
  if (problem) issues.push({ path: "tool_choice", message: problem });
  else if (allowed.length > 0) {
    reading.options = { tools: allowed, toolChoice: choice, parallelToolCalls: fields.parallel_tool_calls ?? undefined };
  }
  return reading;
}

interface GivenTool {
  path: string;
  given: unknown;
  /** A response repeats them. */
  isEchoed: boolean;
}

function* givenTools({ tools, input }: ToolFields): Generator<GivenTool> {
  for (const [index, given] of (tools ?? []).entries()) yield { path: `tools.${index}`, given, isEchoed: true };
  if (typeof input === "string") return;
  for (const [at, item] of input.entries()) {
    if (!bringsTools(item) || !Array.isArray(item.tools)) continue;
    for (const [index, given] of item.tools.entries()) yield { path: `input.${at}.tools.${index}`, given, isEchoed: false };
  }
}

/** Codex sends all tools in such an item for some models; and it sends the tools that its search found as the search's output. */
const bringsTools = (item: unknown): item is Record<string, unknown> =>
  isRecord(item) && (item.type === "additional_tools" || (item.type === "tool_search_output" && item.execution === "client"));

function readTool(given: unknown, path: string): { own: OwnTool } | { hosted: string } | { issues: Issue[] } {
  if (!isRecord(given)) return { issues: [{ path, message: "must be a tool" }] };
  const isOwn = ["function", "custom", "namespace"].includes(String(given.type)) || isClientSearch(given);
  if (!isOwn) {
    const type = hostedType.safeParse(given.type);
    return type.success ? { hosted: type.data } : { issues: [{ path: `${path}.type`, message: "must be function or custom" }] };
  }
  const parsed = parseGiven(ownTool, itemWithFewFaults(ownTool, given));
  if (parsed.success) return { own: parsed.data };
  return { issues: readIssues(parsed.error, []).map((issue) => ({ ...issue, path: `${path}.${issue.path}` })) };
}

const isClientSearch = ({ type, execution }: Record<string, unknown>): boolean => type === "tool_search" && execution === "client";

/** The text that Codex writes where a server has no description. */
const fillerOf = (namespace: string): string => `Tools in the ${namespace} namespace.`;

/** A namespace's description stands once, in front of its first tool: in front of each it would be paid for each time. */
function singleTools(own: OwnTool): { tool: SingleTool; client: ClientTool }[] {
  switch (own.type) {
    case "function":
    case "custom":
      return [{ tool: own, client: { kind: own.type, name: own.name } }];
    case "tool_search":
      return [{ tool: { ...own, type: "function", name: "tool_search", strict: false }, client: { kind: "search", name: "tool_search" } }];
    case "namespace": {
      const { name: namespace, description } = own;
      const about = description && description !== fillerOf(namespace) ? `${namespace}: ${description}` : "";
      return own.tools.map((tool, index) => ({
        tool: index === 0 && about !== "" ? { ...tool, description: joined([about, tool.description]) } : tool,
        client: { kind: tool.type, name: tool.name, namespace },
      }));
    }
  }
}

/** The outcome of its search that a model reads: the tools themselves are among its tools by then. */
export function* foundToolsText(found: readonly unknown[], names: ToolNames): Slices<string> {
  const called = new Set<string>();
  for (const given of found) {
    const read = readTool(given, "");
    if ("own" in read) for (const { client } of singleTools(read.own)) called.add(names.nameOf(client));
    yield;
  }
  return called.size === 0 ? "No tools were found." : `These tools can be called now: ${[...called].join(", ")}`;
}

const joined = (parts: readonly (string | null | undefined)[]): string => parts.filter(Boolean).join("\n\n");

const toolOf = (tool: SingleTool, called: string): Tool => (tool.type === "custom" ? customToolOf(tool, called) : functionOf(tool, called));

const functionOf = ({ description, parameters, strict }: z.infer<typeof functionTool>, called: string): Tool => ({
  name: called,
  description: description ?? undefined,
  parameters: parameters ?? undefined,
  strict: strict ?? undefined,
});

/** For models without custom tools: a function whose only argument is the input, and whose description holds the grammar. */
function customToolOf({ description, format }: z.infer<typeof customTool>, called: string): Tool {
  const grammar = format?.type === "grammar" ? `It must match this grammar (${format.syntax}):\n${format.definition}` : "";
  return {
    name: called,
    description: joined([description, 'Write the whole input, as plain text, into "input".', grammar]),
    parameters: { type: "object", properties: { input: { type: "string" } }, required: ["input"], additionalProperties: false },
    custom: { description: description ?? undefined, format: format ?? undefined },
  };
}

/** A tool as it was understood, without fields that the document does not list. */
function echoOf(own: OwnTool): object {
  const { type, description = null } = own;
  switch (type) {
    case "function":
      return { type, name: own.name, description, parameters: own.parameters ?? null, strict: own.strict ?? false };
    case "custom":
      return { type, name: own.name, description: description ?? undefined, format: own.format ?? { type: "text" } };
    case "namespace":
      return { type, name: own.name, description: description ?? "", tools: own.tools.map(echoOf) };
    case "tool_search":
      return { type, execution: own.execution, description, parameters: own.parameters ?? null };
  }
}
