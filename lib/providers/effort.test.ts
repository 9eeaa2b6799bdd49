import { describe, expect, test } from "vitest";
import { nearestEffort, reasoningEfforts } from "./effort";
import type { VendorId } from "./model-route";
import { formats } from "./testing/oracle";
import type { ModelCall, ReasoningEffort, ReasoningOptions } from "./types";

const tools: ModelCall["tools"] = [{ name: "add", parameters: { type: "object", properties: {} } }];

function bodyOf(provider: VendorId, wireName: string, reasoning: ReasoningOptions | undefined, options: Partial<ModelCall> = {}) {
  const call: ModelCall = { messages: [{ role: "user", content: "Why?" }], maxOutputTokens: 10_000, stream: false, reasoning, ...options };
  return JSON.parse(formats[provider].buildRequest(call, wireName, "test-key", provider).body);
}

/** What each effort becomes, from none to max. */
const sent = (read: (effort: ReasoningEffort) => unknown): unknown[] => reasoningEfforts.map(read);

describe("an effort reaches a model in its words, or the nearest of them", () => {
  test.each([
    ["o3-mini", ["low", "low", "low", "medium", "high", "high", "high"]],
    ["gpt-5", ["minimal", "minimal", "low", "medium", "high", "high", "high"]],
    ["gpt-5.1", ["none", "low", "low", "medium", "high", "high", "high"]],
    ["gpt-5.4-mini", ["none", "low", "low", "medium", "high", "xhigh", "xhigh"]],
    ["gpt-5.3-codex", ["low", "low", "low", "medium", "high", "xhigh", "xhigh"]],
    ["gpt-5-pro", ["high", "high", "high", "high", "high", "high", "high"]],
    ["gpt-6-sol", ["none", "low", "low", "medium", "high", "xhigh", "max"]],
    ["gpt-4.1", [undefined, undefined, undefined, undefined, undefined, undefined, undefined]],
    ["gpt-5-chat-latest", [undefined, undefined, undefined, undefined, undefined, undefined, undefined]],
  ])("OpenAI's %s", (wireName, expected) => {
    expect(sent((effort) => bodyOf("openai", wireName, { effort }).reasoning_effort)).toEqual(expected);
  });

  test("xAI takes one where the model has a choice", () => {
    expect(sent((effort) => bodyOf("xai", "grok-4.3", { effort }).reasoning_effort)).toEqual(
      ["none", "low", "low", "medium", "high", "high", "high"], // prettier would not
    );
    for (const fixed of ["grok-4.20-non-reasoning", "grok-4.20-reasoning", "grok-4-fast-non-reasoning", "grok-4"]) {
      expect(bodyOf("xai", fixed, { effort: "high" }), fixed).not.toHaveProperty("reasoning_effort");
    }
  });

  test("DeepSeek has a switch and three efforts", () => {
    expect(bodyOf("deepseek", "deepseek-flash", { effort: "none" })).toMatchObject({ thinking: { type: "disabled" } });
    expect(bodyOf("deepseek", "deepseek-flash", { effort: "medium" })).toMatchObject({
      thinking: { type: "enabled" },
      reasoning_effort: "low",
    });
    expect(bodyOf("deepseek", "deepseek-flash", { effort: "max" })).toMatchObject({ reasoning_effort: "max" });
    expect(bodyOf("deepseek", "deepseek-chat", { effort: "high" })).not.toHaveProperty("thinking");
  });

  test.each([
    ["gemini-2.5-flash", [0, 1_000, 2_000, 5_000, 8_000, 9_500, 9_500].map((thinkingBudget) => ({ thinkingBudget }))],
    ["gemini-2.5-pro", [128, 1_000, 2_000, 5_000, 8_000, 9_500, 9_500].map((thinkingBudget) => ({ thinkingBudget }))],
    ["gemini-3.5-flash-lite", ["minimal", "minimal", "low", "medium", "high", "high", "high"].map((thinkingLevel) => ({ thinkingLevel }))],
    ["gemini-3-pro-preview", ["low", "low", "low", "low", "high", "high", "high"].map((thinkingLevel) => ({ thinkingLevel }))],
  ])("%s", (wireName, expected) => {
    expect(sent((effort) => bodyOf("gemini", wireName, { effort }).generationConfig.thinkingConfig)).toEqual(expected);
  });

  test.each<[string, (object | undefined)[]]>([
    [
      "claude-haiku-4-5-20251001",
      [undefined, 1_024, 2_000, 5_000, 8_000, 9_500, 9_500].map(
        (budget) => budget && { thinking: { type: "enabled", budget_tokens: budget } },
      ) as object[],
    ],
    ["claude-opus-4-6", [undefined, "low", "low", "medium", "high", "high", "max"].map((effort) => effort && adaptive(effort)) as object[]],
    [
      "claude-opus-4-8",
      [undefined, "low", "low", "medium", "high", "xhigh", "max"].map((effort) => effort && adaptive(effort)) as object[],
    ],
    ["claude-opus-5", [{ thinking: { type: "disabled" } }, ...["low", "low", "medium", "high", "xhigh", "max"].map(adaptive)]],
    ["claude-sonnet-5-5", [{ thinking: { type: "between_tools" } }, ...["low", "low", "medium", "high", "xhigh", "max"].map(adaptive)]],
    ["claude-opus-5-5", [{ output_config: { effort: "low" } }, ...["low", "low", "medium", "high", "xhigh", "max"].map(adaptive)]],
    ["claude-3-5-haiku-20241022", reasoningEfforts.map(() => undefined)],
  ])("Anthropic's %s", (wireName, expected) => {
    const read = (effort: ReasoningEffort) => {
      const { thinking, output_config } = bodyOf("anthropic", wireName, { effort });
      return thinking || output_config ? { thinking, output_config } : undefined;
    };
    expect(sent(read)).toEqual(expected);
  });
});

const adaptive = (effort: string): object => ({ thinking: { type: "adaptive" }, output_config: { effort } });

describe("a thinking budget", () => {
  test("is sent where there is one, inside the output limit, and is an effort elsewhere", () => {
    const budget = (budgetTokens: number): ReasoningOptions => ({ mode: "on", budgetTokens });
    expect(bodyOf("anthropic", "claude-sonnet-4-5-20250929", budget(4_000)).thinking).toEqual({ type: "enabled", budget_tokens: 4_000 });
    expect(bodyOf("anthropic", "claude-sonnet-4-5-20250929", budget(20_000)).thinking).toEqual({ type: "enabled", budget_tokens: 9_999 });
    expect(bodyOf("gemini", "gemini-2.5-flash", budget(4_000)).generationConfig.thinkingConfig).toEqual({ thinkingBudget: 4_000 });
    for (const [tokens, effort] of [
      [2_000, "low"],
      [5_000, "medium"],
      [9_000, "high"],
    ] as const) {
      expect(bodyOf("anthropic", "claude-opus-5-5", budget(tokens)), effort).toMatchObject(adaptive(effort));
      expect(bodyOf("openai", "gpt-5.1", budget(tokens)), effort).toHaveProperty("reasoning_effort", effort);
      expect(bodyOf("gemini", "gemini-3.5-flash-lite", budget(tokens)).generationConfig.thinkingConfig).toEqual({ thinkingLevel: effort });
    }
  });

  test("is left out where the limit has no room for the least that Anthropic takes", () => {
    const body = bodyOf("anthropic", "claude-sonnet-4-5-20250929", { effort: "high" }, { maxOutputTokens: 1_024 });
    expect(body).not.toHaveProperty("thinking");
  });
});

describe("thinking gives way where a model refuses the combination", () => {
  const old = "claude-sonnet-4-5-20250929";
  const called = { role: "assistant", content: "", toolCalls: [{ id: "a", name: "add", arguments: "{}" }] } as const;
  const result = { role: "tool", toolCallId: "a", content: "42" } as const;
  const question = { role: "user", content: "Add" } as const;

  test("to a forced tool", () => {
    for (const wireName of [old, "claude-opus-4-6"]) {
      expect(bodyOf("anthropic", wireName, { effort: "high" }, { tools, toolChoice: "required" })).not.toHaveProperty("thinking");
    }
    expect(bodyOf("deepseek", "deepseek-flash", { effort: "high" }, { tools, toolChoice: "required" }).thinking).toEqual({
      type: "disabled",
    });
  });

  test("in a turn that began without a thought of this model", () => {
    const reasoning = [{ kind: "thinking", madeBy: { provider: "anthropic", wireName: old }, text: "Hm", data: "c2ln" }] as const;
    expect(bodyOf("anthropic", old, { effort: "high" }, { tools, messages: [question, called, result] })).not.toHaveProperty("thinking");
    expect(bodyOf("anthropic", old, { effort: "high" }, { tools, messages: [question, { ...called, reasoning }, result] })).toHaveProperty(
      "thinking",
    );
    expect(bodyOf("anthropic", old, { effort: "high" }, { messages: [question, { role: "assistant", content: "{" }] })).not.toHaveProperty(
      "thinking",
    );
  });

  test("temperature gives way to thinking", () => {
    expect(bodyOf("anthropic", old, { effort: "high" }, { temperature: 0.2, topK: 5 })).not.toHaveProperty("temperature");
    expect(bodyOf("anthropic", old, undefined, { temperature: 0.2, topK: 5 })).toMatchObject({ temperature: 0.2, top_k: 5 });
  });
});

test("without reasoning options nothing about reasoning is sent", () => {
  const models: [VendorId, string][] = [
    ["openai", "gpt-5"],
    ["anthropic", "claude-opus-5"],
    ["gemini", "gemini-2.5-flash"],
    ["deepseek", "deepseek-flash"],
  ];
  for (const [provider, wireName] of models) {
    expect(JSON.stringify(bodyOf(provider, wireName, undefined)), wireName).not.toMatch(/reason|think|effort/);
  }
});

test("an effort alone changes how much a Claude writes, and not whether it thinks", () => {
  const body = bodyOf("anthropic", "claude-opus-4-8", { mode: "default", effort: "medium" });
  expect(body).toMatchObject({ output_config: { effort: "medium" } });
  expect(body).not.toHaveProperty("thinking");
});

test("nearestEffort takes the lower of two neighbours, and none only when none is wanted", () => {
  expect(nearestEffort("medium", ["low", "high"])).toBe("low");
  expect(nearestEffort("minimal", ["none", "low"])).toBe("low");
  expect(nearestEffort("none", ["low"])).toBe("low");
  expect(nearestEffort("high", [])).toBeUndefined();
});
