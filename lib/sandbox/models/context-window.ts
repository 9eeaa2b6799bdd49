// The context windows of the simulated models, and how each vendor refuses a prompt beyond one. Written down from the vendors' pages, apart
// from the gateway's catalogue, which the sandbox is there to check.

import type { VendorId } from "@/lib/providers/model-route";
import { countInputTokens } from "./tokens";
import type { Problem, SimulatedCall } from "./vendor";

/** The first match counts; a model without one has no limit. */
const windows: readonly (readonly [RegExp, number])[] = [
  [/^gpt-3\.5/, 16_385],
  [/^gpt-4(-0613)?$/, 8_192],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-4/, 128_000],
  [/^gpt-5\.4-(mini|nano)/, 400_000],
  [/^gpt-5(\.[0-3])?(-|$)/, 400_000],
  [/^gpt-(5\.[4-9]|6)/, 1_050_000],
  [/^claude-(opus|sonnet|haiku)-4-[0-5]/, 200_000],
  [/^claude-/, 1_000_000],
  [/^gemini-/, 1_048_576],
  [/^grok-4-fast/, 2_000_000],
  [/^grok-/, 1_000_000],
  [/^deepseek-chat/, 128_000],
  [/^deepseek-/, 1_000_000],
];

/** How the vendor refuses a prompt that the model cannot hold; null when it can. */
export function findWindowProblem(provider: VendorId, { model, messages, tools }: SimulatedCall): Problem | null {
  const window = windows.find(([name]) => name.test(model))?.[1] ?? Number.POSITIVE_INFINITY;
  const tokens = countInputTokens(messages, tools);
  if (tokens <= window) return null;
  switch (provider) {
    case "anthropic":
      return { status: 400, message: `prompt is too long: ${tokens} tokens > ${window} maximum` };
    case "gemini":
      return { status: 400, message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).` };
    case "xai":
      return { status: 400, message: `This model's maximum prompt length is ${window} but the request contains ${tokens} tokens.` };
    default: {
      const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
      return { status: 400, message, code: "context_length_exceeded" };
    }
  }
}
