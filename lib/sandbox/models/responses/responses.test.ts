import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestModels, type TestModels } from "../testing";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels();
});
afterAll(() => models?.stop());

interface Answer {
  status: number;
  body: {
    error?: { message: string; code: string | null; param: string | null } | null;
    status?: string;
    output?: { type: string; [field: string]: unknown }[];
    incomplete_details?: { reason: string } | null;
  };
}

async function ask(body: object): Promise<Answer> {
  const response = await fetch(`${models.baseUrls.openai}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${models.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-6-sol", input: "Hi", store: false, ...body }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const weather = { type: "function", name: "get_weather", parameters: null, strict: false };
const user = (content: string) => ({ role: "user", content });
const call = { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" };
const result = { type: "function_call_output", call_id: "call_1", output: "Sunny" };

test.each([
  ["a call without its result", { input: [user("Hi"), call] }, "These have none: call_1"],
  ["a result without its call", { input: [user("Hi"), result] }, "No tool call found for the result with the id call_1."],
  ["reasoning that is not stored", { input: [user("Hi"), { type: "reasoning", id: "rs_1", summary: [] }] }, "Items are not persisted"],
])("OpenAI refuses %s", async (_what, body, message) => {
  const answer = await ask(body);
  expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(message) } } });
});

test("encrypted reasoning comes back to the model that wrote it, unchanged, and to no other", async () => {
  const input = [user("Weather? [[simulate: reasoning=20 tool=get_weather]]")];
  const include = ["reasoning.encrypted_content"];
  const first = await ask({ input, tools: [weather], include });
  const [thought, asked] = first.body.output ?? [];
  expect([thought?.type, asked?.type]).toEqual(["reasoning", "function_call"]);
  const plain = { ...asked, call_id: asked?.call_id };
  const next = (reasoning: object, model = "gpt-6-sol") =>
    ask({ model, tools: [weather], include, input: [...input, reasoning, plain, { ...result, call_id: plain.call_id }] });
  expect((await next(thought ?? {})).status).toBe(200);
  const refused = { status: 400, body: { error: { message: expect.stringContaining("could not be verified") } } };
  expect(await next(thought ?? {}, "gpt-6-luna")).toMatchObject(refused);
  expect(await next({ ...thought, encrypted_content: `${String(thought?.encrypted_content)}x` })).toMatchObject(refused);
});

test("an answer that its limit cut is incomplete", async () => {
  expect(await ask({ input: "Go on. [[simulate: tokens=100]]", max_output_tokens: 16 })).toMatchObject({
    status: 200,
    body: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
  });
});
