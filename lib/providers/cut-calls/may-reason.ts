// Whether a call may make its model reason before it answers, by its request and by the model's own habit. Thoughts are billed as output,
// mostly unseen: nobody but the provider can count them.

import { readClaude, thinkingStyle } from "../anthropic/model-rules";
import { anthropicThinking } from "../anthropic/thinking";
import { thinksNot } from "../effort";
import type { ModelRoute } from "../model-route";
import { openaiEffort } from "../openai/effort";
import type { ModelCall } from "../types";

/** Families of open models, at whichever host. */
const openReasoners = /gpt-oss|deepseek-(?:r|v[4-9]|reasoner)|qwq|qwen3|thinking|magistral|glm-(?:4\.[5-9]|[5-9])|minimax-m|kimi-k[3-9]/i;

/** Claude 5 and later think by themselves; earlier ones on request. */
const FIRST_CLAUDE_THAT_THINKS_BY_ITSELF = 500;

/** False only where it certainly does not. */
export function mayReason(call: ModelCall, route: ModelRoute): boolean {
  const { provider, wireName } = route;
  const name = wireName.slice(wireName.lastIndexOf("/") + 1);
  switch (provider) {
    case "anthropic":
      return claudeMayReason(call, route);
    case "gemini":
      return true;
    case "openai":
      return /^(?:o\d|gpt-(?:[5-9]|\d\d)(?![^.]*-chat))/.test(name) && openaiEffort(call, wireName, provider) !== "none";
    case "xai":
      return (
        /^grok-(?:3-mini|[4-9]|\d\d|code|build)/.test(name) &&
        !name.includes("non-reasoning") &&
        openaiEffort(call, wireName, provider) !== "none"
      );
    case "deepseek":
      return name !== "deepseek-chat" && !(call.reasoning && thinksNot(call.reasoning));
    default: {
      const efforts = route.dialect?.efforts ?? route.entry?.dialect.efforts ?? [];
      return (efforts.length > 0 || openReasoners.test(name)) && openaiEffort(call, wireName, provider, efforts) !== "none";
    }
  }
}

function claudeMayReason(call: ModelCall, route: ModelRoute): boolean {
  const claude = readClaude(route.wireName);
  if (claude === undefined || thinkingStyle(claude) === "none") return false;
  const { config } = anthropicThinking(call, route);
  return config ? config.type !== "disabled" : claude.version >= FIRST_CLAUDE_THAT_THINKS_BY_ITSELF;
}
