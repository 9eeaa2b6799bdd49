// Which reasoning efforts the models behind OpenAI's formats accept; the nearest of them is sent. Facts as of 2026-11-26:
// developers.openai.com/api/docs/guides/reasoning and each model's page, docs.x.ai/developers/model-capabilities/text/reasoning,
// api-docs.deepseek.com/guides/thinking_mode.

import { effortOf, nearestEffort, thinksNot } from "../effort";
import type { ProviderId } from "../model-route";
import type { ModelCall, ReasoningEffort } from "../types";

type Reasoning = Pick<ModelCall, "reasoning" | "maxOutputTokens">;

/** The effort to send; undefined when the call says nothing of it, or the model takes none. */
export function openaiEffort(
  call: Reasoning,
  wireName: string,
  provider: ProviderId,
  supported: readonly ReasoningEffort[] = effortsOf(wireName, provider),
): ReasoningEffort | undefined {
  if (!call.reasoning) return undefined;
  const wanted = effortOf(call.reasoning, call) ?? (call.reasoning.mode === "on" ? thinkingDefault(supported) : undefined);
  return wanted && nearestEffort(wanted, supported);
}

/** A model whose efforts include `none` may not think by itself. */
const thinkingDefault = (supported: readonly ReasoningEffort[]): ReasoningEffort | undefined =>
  supported.includes("none") ? "medium" : undefined;

/** DeepSeek's own switch; its models think unless told otherwise. */
export function deepseekThinking({ reasoning }: Reasoning): { type: "enabled" | "disabled" } | undefined {
  if (!reasoning || reasoning.mode === "default") return undefined;
  return { type: thinksNot(reasoning) ? "disabled" : "enabled" };
}

function effortsOf(wireName: string, provider: ProviderId): readonly ReasoningEffort[] {
  const name = wireName.slice(wireName.lastIndexOf("/") + 1);
  switch (provider) {
    case "openai":
      return openaiEfforts(name);
    case "xai":
      return xaiEfforts(name);
    case "deepseek":
      return name === "deepseek-chat" ? [] : ["low", "high", "max"];
    default:
      return [];
  }
}

function openaiEfforts(name: string): readonly ReasoningEffort[] {
  if (/^o\d+-(?:mini|preview)/.test(name) && name.startsWith("o1")) return [];
  if (/^o\d+(?:-|$)/.test(name)) return ["low", "medium", "high"];
  const [, major, minor = "0", rest = ""] = /^gpt-(\d+)(?:\.(\d+))?(-.*)?$/.exec(name) ?? [];
  const version = Number(major) * 100 + Number(minor);
  if (major === undefined || version < 500 || rest.startsWith("-chat")) return [];
  if (/-pro(?:-|$)/.test(rest)) return version < 502 ? ["high"] : ["medium", "high", "xhigh"];
  const hasNone = version > 500 && !rest.includes("codex");
  const least: readonly ReasoningEffort[] = hasNone ? ["none"] : version === 500 && !rest.includes("codex") ? ["minimal"] : [];
  const hasXhigh = version > 501 || rest.includes("codex-max");
  return [...least, "low", "medium", "high", ...(hasXhigh ? (["xhigh"] as const) : []), ...(version >= 506 ? (["max"] as const) : [])];
}

/** The models before 4.3, and those whose name says whether they reason, have no such field and answer 400 to it. */
function xaiEfforts(name: string): readonly ReasoningEffort[] {
  if (name.startsWith("grok-3-mini")) return ["low", "high"];
  const [, major, minor = "0"] = /^grok-(\d+)(?:\.(\d+))?(?:-latest|-\d{4})?$/.exec(name) ?? [];
  return Number(major) * 100 + Number(minor) >= 403 ? ["none", "low", "medium", "high"] : [];
}
