// Which tools a response's request lets its model call, and which it forces.

import { z } from "zod";
import type { Tool, ToolChoice } from "@/lib/providers/types";
import type { ToolNames } from "../prompt/tool-calls/names";

/** The type of a tool that OpenAI runs itself; it may stand in a header. */
export const hostedType = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "must be function or custom");

const namespace = z.string().nullish();
const chosenTool = z.object({ type: hostedType, name: z.string().optional(), namespace });

export const toolChoiceSchema = z.union(
  [
    z.enum(["none", "auto", "required"]),
    z.object({ type: z.literal("allowed_tools"), mode: z.enum(["auto", "required"]), tools: z.array(chosenTool) }),
    z.object({ type: z.enum(["function", "custom"]), name: z.string().min(1, "must not be empty"), namespace }),
    chosenTool,
  ],
  'must be none, auto, required, {"type": "function" or "custom", "name": …} or {"type": "allowed_tools", …}',
);

export type ToolChoiceField = z.infer<typeof toolChoiceSchema> | null | undefined;
type ChosenTool = z.infer<typeof chosenTool>;

interface Choice {
  /** The tools that may be called. */
  allowed: readonly Tool[];
  choice?: ToolChoice | undefined;
  problem?: string;
}

interface Choosable {
  tools: readonly Tool[];
  names: ToolNames;
  /** Types of hosted tools that were left out. */
  dropped: readonly string[];
}

export function readChoice(given: ToolChoiceField, { tools, names, dropped }: Choosable): Choice {
  if (given === null || given === undefined || typeof given === "string") {
    const forcesNothing = given !== "required" || tools.length > 0;
    return forcesNothing ? { allowed: tools, choice: given ?? undefined } : { allowed: [], problem: nothingToForce(dropped) };
  }
  if ("mode" in given) {
    const chosen = new Set(given.tools.map((one) => nameOf(one, names)));
    const allowed = tools.filter(({ name }) => chosen.has(name));
    if (allowed.length > 0 || given.mode === "auto") return { allowed, choice: given.mode };
    return { allowed, problem: nothingToForce(given.tools.map(({ type }) => type)) };
  }
  const name = nameOf(given, names);
  if (tools.some((tool) => tool.name === name && (tool.custom !== undefined) === (given.type === "custom"))) {
    return { allowed: tools, choice: { name: name ?? "" } };
  }
  const isOwn = given.type === "function" || given.type === "custom";
  return { allowed: [], problem: isOwn ? `names a ${given.type} tool that is not in tools` : hostedProblem(given.type) };
}

/** The tool's name inside a call; undefined for a hosted tool. */
function nameOf({ type, name, namespace }: ChosenTool, names: ToolNames): string | undefined {
  if (type === "tool_search") return names.nameOf({ kind: "search", name: type });
  if (name === undefined || (type !== "function" && type !== "custom")) return undefined;
  return names.nameOf({ kind: type, name, namespace: namespace ?? undefined });
}

const hostedProblem = (type: string): string => `forces ${type}, which only OpenAI hosts. Send a function or a custom tool instead`;

function nothingToForce(hosted: readonly string[]): string {
  const [type] = hosted;
  return type === undefined ? "needs tools to choose from" : hostedProblem(type);
}
