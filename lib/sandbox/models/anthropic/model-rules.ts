// What some Claude models refuse and others accept. Names without a version are not checked.
// Source: docs.anthropic.com/en/docs/about-claude/models/migration-guide, and "What's new" of each model.

import type { BrokenRule } from "../vendor";
import type { ToolFields } from "./tools";

interface ModelFields extends ToolFields {
  model: string;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  max_tokens?: number;
  thinking?: { type: string; budget_tokens?: unknown };
}

const FIRST_WITH_FORMAT = 405;
const FIRST_WITH_ONE_SAMPLING = 401;
const FIRST_WITHOUT_SAMPLING = 407;
const FIRST_WITHOUT_FORCED_TOOLS = new Map([
  ["opus", 505],
  ["sonnet", 505],
  ["fable", 501],
  ["mythos", 501],
]);

export function findModelRule(request: ModelFields): BrokenRule | null {
  const model = readModel(request.model);
  if (model === null) return null;
  const rule = findThinkingRule(request, model);
  if (rule !== null) return rule;
  const { family, version } = model;
  const { temperature, top_p, top_k, tool_choice } = request;
  const given = Object.entries({ temperature, top_p, top_k }).find(([, value]) => value !== undefined);
  if (version >= FIRST_WITHOUT_SAMPLING && given !== undefined) return { message: `\`${given[0]}\` is deprecated for this model.` };
  if (version >= FIRST_WITH_ONE_SAMPLING && temperature !== undefined && top_p !== undefined) {
    return { message: "`temperature` and `top_p` cannot both be specified for this model. Please use only one." };
  }
  const isForced = tool_choice?.type === "any" || tool_choice?.type === "tool";
  if (isForced && version >= (FIRST_WITHOUT_FORCED_TOOLS.get(family) ?? Number.POSITIVE_INFINITY)) {
    return { message: "tool_choice: Forced tool use is not supported for this model." };
  }
  const hasFormat = Boolean(request.output_config?.format ?? request.output_format);
  return hasFormat && version < FIRST_WITH_FORMAT
    ? { message: "output_config.format: This model does not support structured outputs." }
    : null;
}

const FIRST_WITHOUT_BUDGETS = 407;
const FIRST_ADAPTIVE = 406;
const ALWAYS_THINKING = new Map([
  ["opus", 505],
  ["sonnet", 505],
  ["fable", 500],
  ["mythos", 500],
]);

/** True when a request of this type thinks by a budget, which is checked against its other fields. */
export const thinksByBudget = (thinking: { type: string } | undefined): boolean => thinking?.type === "enabled";

function findThinkingRule(request: ModelFields, { family, version }: { family: string; version: number }): BrokenRule | null {
  const { thinking, max_tokens: limit, temperature, top_k } = request;
  if (thinking === undefined) return null;
  const isSupported =
    thinking.type === "enabled"
      ? version < FIRST_WITHOUT_BUDGETS
      : thinking.type === "between_tools"
        ? family === "sonnet" && version >= 505
        : thinking.type === "adaptive"
          ? version >= FIRST_ADAPTIVE
          : version < (ALWAYS_THINKING.get(family) ?? Number.POSITIVE_INFINITY);
  if (!isSupported) {
    return {
      message: `"thinking.type.${thinking.type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
    };
  }
  if (thinking.type === "disabled") return null;
  if ((temperature ?? 1) !== 1 || top_k !== undefined) {
    return { message: "`temperature` may only be set to 1 when thinking is enabled." };
  }
  if (!thinksByBudget(thinking)) return null;
  const budget = Number(thinking.budget_tokens);
  if (!(budget >= 1_024)) return { message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024" };
  return limit !== undefined && budget >= limit ? { message: "`max_tokens` must be greater than `thinking.budget_tokens`." } : null;
}

/** `claude-opus-4-7-20260301` is opus and 407; the date is not part of the version. */
function readModel(name: string): { family: string; version: number } | null {
  const [, family, major, minor = "0"] = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(name) ?? [];
  return family === undefined ? null : { family, version: Number(major) * 100 + Number(minor) };
}
