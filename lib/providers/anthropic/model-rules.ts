// Rules for the options that a Claude model accepts follow from its name alone, per Anthropic's migration guides, so that models which the
// operator configured follow them too. A name that is not a Claude's gets the rules of the oldest models.

import { type ShapeRules, shapeRules } from "../conversation/shape-rules";
import type { ModelRoute } from "../model-route";

export interface Claude {
  family: string;
  /** claude-opus-4-7 is 407. */
  version: number;
}

/** Undefined before Claude 4, whose names have another format, and for other models. */
export function readClaude(wireName: string): Claude | undefined {
  const match = /claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(wireName);
  if (match === null) return undefined;
  const [, family = "", major, minor = "0"] = match;
  return { family, version: Number(major) * 100 + Number(minor) };
}

/** Temperature, top_p and top_k: from Claude Opus 4.7 on, each gets a 400 (.../about-claude/models/migration-guide). */
export const takesSampling = (claude: Claude | undefined): boolean => (claude?.version ?? 0) < 407;

/**
 * `output_config.format`, generally available without a beta header from Claude 4.5 on:
 * https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs
 */
export const takesOutputFormat = (claude: Claude | undefined): boolean => (claude?.version ?? 0) >= 405;

// "Forced tool use returns an error": What's new in Claude Opus 5.5 and in Claude Sonnet 5.5. Claude Haiku 5.5 still accepts it.
const firstWithoutForcedTools = new Map([
  ["opus", 505],
  ["sonnet", 505],
  ["fable", 501],
  ["mythos", 501],
]);

/** A tool_choice of `any` or `tool`. */
export const takesForcedTools = (claude: Claude | undefined): boolean =>
  claude === undefined || claude.version < (firstWithoutForcedTools.get(claude.family) ?? Number.POSITIVE_INFINITY);

/**
 * How a model is told to think, as of 2026-11-26 (platform.claude.com/docs/en/build-with-claude/thinking and .../effort, and "What's new"
 * of Claude Opus 5, Opus 5.5, Sonnet 5.5 and Haiku 5.5):
 * - `budget`: `{type: "enabled", budget_tokens}`, up to Claude 4.5
 * - `adaptive`: `{type: "adaptive"}` and an effort, from Claude 4.6 on; since 4.7 a budget gets a 400
 */
export function thinkingStyle(claude: Claude | undefined): "none" | "budget" | "adaptive" {
  if (claude === undefined || claude.version < 400) return "none";
  return claude.version < 406 ? "budget" : "adaptive";
}

/**
 * How thinking is turned off: by leaving the field out (up to 4.8, which think on request only), by `disabled`, by Sonnet 5.5's
 * `between_tools`, or not at all.
 */
export function thinkingOff({ family, version }: Claude): "absent" | "disabled" | "between_tools" | "never" {
  if (family === "fable" || family === "mythos") return "never";
  if (version < 500) return "absent";
  if (version < 505 || family === "haiku") return "disabled";
  return family === "sonnet" ? "between_tools" : "never";
}

// "Mid-conversation system messages": Opus since 4.8, Fable and Mythos since 5, not Sonnet 5; not on Bedrock and Google Cloud
// (platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages). Of Sonnet 5.5 and Haiku 5.5 nothing is said.
const firstWithLaterSystem = new Map([
  ["opus", 408],
  ["fable", 500],
  ["mythos", 500],
]);

/** "This model does not support assistant message prefill. The conversation must end with a user message": from Claude 4.6 on. */
const FIRST_WITHOUT_PREFILL = 406;

/** The shape of conversations that a model takes. */
export function claudeShape({ provider, wireName }: Pick<ModelRoute, "provider" | "wireName">): ShapeRules {
  const claude = readClaude(wireName);
  if (claude === undefined) return shapeRules.anthropic;
  const hasLaterSystem =
    provider === "anthropic" && claude.version >= (firstWithLaterSystem.get(claude.family) ?? Number.POSITIVE_INFINITY);
  return {
    ...shapeRules.anthropic,
    laterSystem: hasLaterSystem ? "after-user" : "nowhere",
    endsWithUser: claude.version >= FIRST_WITHOUT_PREFILL,
  };
}
