import { describe, expect, test } from "vitest";
import type { ChatMessage, ToolCall } from "../conversation/messages";
import { geminiFormat } from "../gemini";
import { fixtureBytes } from "../testing/replay";
import type { ModelCall, Tool } from "../types";

const question: ChatMessage = { role: "user", content: "Weather and time in Zürich?" };
const weatherTool: Tool = {
  name: "get_weather",
  description: "The weather now.",
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const timeTool: Tool = { name: "get_time" };

/** The request body for a call to a third-generation model, or to the given one. */
function bodyOf(options: Partial<ModelCall>, wireName = "gemini-3.5-flash-lite") {
  const call: ModelCall = { messages: [question], maxOutputTokens: 64, stream: false, ...options };
  return JSON.parse(geminiFormat.buildRequest(call, wireName, "AIza-test", "gemini").body);
}

describe("functions", () => {
  test("are declared in Gemini's part of JSON Schema, and a function without arguments has no schema", () => {
    const { $schema: _, ...parametersJsonSchema } = weatherTool.parameters ?? {};
    expect(bodyOf({ tools: [weatherTool, timeTool] })).toEqual({
      contents: [{ role: "user", parts: [{ text: question.content }] }],
      tools: [
        {
          functionDeclarations: [{ name: "get_weather", description: "The weather now.", parametersJsonSchema }, { name: "get_time" }],
        },
      ],
      generationConfig: { maxOutputTokens: 64 },
    });
  });

  test.each([
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [{ name: "get_time" }, { mode: "ANY", allowedFunctionNames: ["get_time"] }],
  ] as const)("the choice %j", (toolChoice, functionCallingConfig) => {
    expect(bodyOf({ tools: [timeTool], toolChoice }).toolConfig).toEqual({ functionCallingConfig });
  });

  test("a strict function is held to its schema when the model may choose", () => {
    const tools = [{ ...weatherTool, strict: true }, timeTool];
    for (const toolChoice of [undefined, "auto"] as const)
      expect(bodyOf({ tools, toolChoice }).toolConfig).toEqual({ functionCallingConfig: { mode: "VALIDATED" } });
    expect(bodyOf({ tools, toolChoice: "none" }).toolConfig).toEqual({ functionCallingConfig: { mode: "NONE" } });
  });

  test("a choice without functions is not sent", () => {
    expect(bodyOf({ tools: [], toolChoice: "required" })).not.toHaveProperty("toolConfig");
    expect(bodyOf({ tools: [], toolChoice: "required" })).not.toHaveProperty("tools");
  });
});

describe("calls and results in the conversation", () => {
  const calls: ToolCall[] = [
    { id: "call_a", name: "get_weather", arguments: '{"city":"Zürich"}' },
    { id: "call_b", name: "get_time", arguments: "" },
  ];
  const results: ChatMessage[] = [
    { role: "tool", toolCallId: "call_b", content: "12:04" },
    { role: "tool", toolCallId: "call_a", content: '{"celsius":4}' },
  ];
  const conversation: ChatMessage[] = [
    question,
    { role: "assistant", content: "", toolCalls: calls },
    ...results,
    { role: "user", content: "And now?" },
  ];
  const weatherCall = { functionCall: { id: "call_a", name: "get_weather", args: { city: "Zürich" } } };
  const timeCall = { functionCall: { id: "call_b", name: "get_time", args: {} } };

  test("consecutive results are one turn, named as their calls, and the user's next text is another", () => {
    expect(bodyOf({ messages: conversation }, "gemini-2.5-flash").contents).toEqual([
      { role: "user", parts: [{ text: question.content }] },
      { role: "model", parts: [weatherCall, timeCall] },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "call_b", name: "get_time", response: { output: "12:04" } } },
          { functionResponse: { id: "call_a", name: "get_weather", response: { celsius: 4 } } },
        ],
      },
      { role: "user", parts: [{ text: "And now?" }] },
    ]);
  });

  test("a system message between two results does not separate them", () => {
    const messages = [question, { role: "assistant", content: "", toolCalls: calls } as const, ...results];
    messages.splice(3, 0, { role: "system", content: "Be brief." });
    const { contents } = bodyOf({ messages });
    expect(contents.map(({ parts }: { parts: unknown[] }) => parts.length)).toEqual([1, 2, 2, 1]);
  });

  test("text sent with calls stays before them", () => {
    const { contents } = bodyOf({ messages: [question, { role: "assistant", content: "I look.", toolCalls: calls }] }, "gemini-2.5-flash");
    expect(contents[1]).toEqual({ role: "model", parts: [{ text: "I look." }, weatherCall, timeCall] });
  });

  test.each([
    ["{}", {}],
    ["", {}],
    [" \n", {}],
    ["[1]", { arguments: "[1]" }],
    ['{"city":', { arguments: '{"city":' }],
  ])("arguments %j are sent as an object", (text, args) => {
    const toolCalls = [{ id: "call_a", name: "f", arguments: text }];
    expect(bodyOf({ messages: [question, { role: "assistant", content: "", toolCalls }] }).contents[1].parts[0].functionCall.args).toEqual(
      args,
    );
  });

  test.each([
    ['{"error":"no such city"}', { error: "no such city" }],
    ['["a"]', { output: '["a"]' }],
    ["null", { output: "null" }],
    ["4", { output: "4" }],
    ["", { output: "" }],
  ])("the result %j is sent as an object", (content, response) => {
    const messages: ChatMessage[] = [question, { role: "assistant", content: "", toolCalls: calls }];
    const { contents } = bodyOf({ messages: [...messages, { role: "tool", toolCallId: "call_a", content }] });
    expect(contents[2].parts[0].functionResponse).toEqual({ id: "call_a", name: "get_weather", response });
  });
});

describe("thought signatures", () => {
  const fixture = fixtureBytes("gemini", "parallel-tool-calls.json").toString();

  /** The conversation as an OpenAI client sends it back: ids, names and arguments unchanged. */
  function replayed(): ChatMessage[] {
    const events = geminiFormat.readReply(fixture).filter((event) => event.type === "tool_call");
    const toolCalls = events.map(({ id = "", name = "", arguments: text }) => ({ id, name, arguments: text }));
    const results = toolCalls.map(({ id }) => ({ role: "tool", toolCallId: id, content: "done" }) as const);
    return [question, { role: "assistant", content: "I look both up.", toolCalls }, ...results];
  }

  test("a Gemini 3 answer is sent back part by part, unchanged", () => {
    const { contents } = bodyOf({ messages: replayed() });
    expect(contents[1]).toEqual(JSON.parse(fixture).candidates[0].content);
    const names = ["get_weather", "check_flight", "get_time"];
    expect(contents[2].parts.map(({ functionResponse }: { functionResponse: object }) => functionResponse)).toEqual(
      ["fjq1n2wx", "k20zx81p", "r7d0m3aa"].map((id, index) => ({ id, name: names[index], response: { output: "done" } })),
    );
  });

  test("a model before Gemini 3 gets none, and its own ids stay without one", () => {
    const { contents } = bodyOf({ messages: replayed() }, "gemini-2.5-flash");
    expect(JSON.stringify(contents)).not.toMatch(/thought/i);
    expect(contents[1].parts[1].functionCall.id).toBe("fjq1n2wx");
  });

  test("the first call of another model's turn gets the documented placeholder, each time", () => {
    const step = (id: string): ChatMessage[] => [
      { role: "assistant", content: "", toolCalls: ["1", "2"].map((digit) => ({ id: id + digit, name: "f", arguments: "{}" })) },
      ...["1", "2"].map((digit) => ({ role: "tool", toolCallId: id + digit, content: "" }) as const),
    ];
    const { contents } = bodyOf({ messages: [question, ...step("toolu_"), ...step("functions.f:")] });
    const signatures = contents.map(({ parts }: { parts: { thoughtSignature?: string }[] }) => parts.map((part) => part.thoughtSignature));
    expect(signatures[1]).toEqual(["skip_thought_signature_validator", undefined]);
    expect(signatures[3]).toEqual(["skip_thought_signature_validator", undefined]);
    expect(contents[3].parts[0].functionCall.id).toBe("functions.f:1");
  });

  test.each([
    ["gemini-flash-latest", true],
    ["gemini-3-pro-preview", true],
    ["gemini-10-flash", true],
    ["gemini-2.0-flash", false],
    ["gemini-1.5-pro", false],
    ["gemma-3-27b-it", false],
  ])("%s requires signatures: %s", (wireName, asks) => {
    const toolCalls = [{ id: "call_a", name: "f", arguments: "{}" }];
    const { contents } = bodyOf({ messages: [question, { role: "assistant", content: "", toolCalls }] }, wireName);
    expect("thoughtSignature" in contents[1].parts[0]).toBe(asks);
  });
});

describe("options", () => {
  test("are sent where Gemini supports them", () => {
    const options = { temperature: 0, topP: 0.9, seed: 7, stop: ["END", "\n\n"], parallelToolCalls: false };
    expect(bodyOf({ ...options, frequencyPenalty: 0.5, presencePenalty: -0.5 }).generationConfig).toEqual({
      maxOutputTokens: 64,
      temperature: 0,
      topP: 0.9,
      seed: 7,
      stopSequences: ["END", "\n\n"],
    });
    expect(bodyOf({ stop: [] }).generationConfig).toEqual({ maxOutputTokens: 64 });
  });

  test.each([
    [0, 0],
    [-1, -1],
    [2 ** 31, -(2 ** 31)],
    [2 ** 53 - 1, -1],
  ])("the seed %d is truncated to 32 bits", (seed, sent) => {
    expect(bodyOf({ seed }).generationConfig.seed).toBe(sent);
  });

  const schema = { type: "object", properties: { a: { type: ["string", "null"] } }, additionalProperties: false };
  const format = { type: "json_schema", name: "answer", schema, strict: true } as const;
  const asJson = { maxOutputTokens: 64, responseMimeType: "application/json" };

  test("JSON is requested by its MIME type, and a schema is sent unchanged", () => {
    expect(bodyOf({ responseFormat: { type: "json_object" } }).generationConfig).toEqual(asJson);
    expect(bodyOf({ responseFormat: format }, "gemini-2.5-flash").generationConfig).toEqual({ ...asJson, responseJsonSchema: schema });
  });

  test("Gemini 3 gets functions and a format together, earlier models the one that matters", () => {
    const both = { tools: [timeTool], responseFormat: format };
    expect(bodyOf(both)).toMatchObject({ tools: [{}], generationConfig: { responseJsonSchema: schema } });
    expect(bodyOf(both, "gemini-2.5-flash")).toMatchObject({ tools: [{}], generationConfig: { maxOutputTokens: 64 } });
    expect(bodyOf(both, "gemini-2.5-flash").generationConfig).toEqual({ maxOutputTokens: 64 });
    const uncalled = bodyOf({ ...both, toolChoice: "none" }, "gemini-2.5-flash");
    expect(uncalled.generationConfig).toEqual({ ...asJson, responseJsonSchema: schema });
    expect(uncalled).not.toHaveProperty("tools");
    expect(uncalled).not.toHaveProperty("toolConfig");
  });
});
