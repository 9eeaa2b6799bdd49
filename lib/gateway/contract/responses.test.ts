// POST /api/v1/responses on the running service: items in and out, events with their numbers, custom tools, reasoning that comes back, and
// refusals that say what to send instead.

import { describe, expect, test } from "vitest";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask, QUESTION } from "./testing/client";
import { type EntryName, entryNames, openService } from "./testing/service";

const service = await openService();
const path = "/api/v1/responses";

interface Item {
  type: string;
  id?: string;
  [field: string]: unknown;
}
interface Body {
  id: string;
  status: string;
  output: Item[];
  usage: { input_tokens: number; output_tokens: number; cost: number; output_tokens_details: { reasoning_tokens: number } } | null;
  error: { message: string; code: string; param?: string | null; details: Record<string, unknown>; requestId: string } | null;
  incomplete_details: { reason: string } | null;
  [field: string]: unknown;
}
interface Event {
  type: string;
  sequence_number: number;
  response?: Body;
  item?: Item;
  delta?: string;
  [field: string]: unknown;
}

async function respond({ key }: Pick<TestAccount, "key">, fields: object, entry: EntryName = "node") {
  const answer = await ask({ url: service.url(entry), key, path, body: { model: "gpt-6-sol", input: QUESTION, ...fields } });
  return { ...answer, body: JSON.parse(answer.text) as Body };
}

/** A stream's events; their names stand in their data, and their numbers count from 0. */
async function stream({ key }: Pick<TestAccount, "key">, fields: object, entry: EntryName = "node"): Promise<Event[]> {
  const body = { model: "gpt-6-sol", input: QUESTION, stream: true, ...fields };
  const { text } = await ask({ url: service.url(entry), key, path, body });
  const events = text.split("\n\n").flatMap((block): Event[] => {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? [];
    if (!data) return [];
    const event = JSON.parse(data) as Event;
    expect(event.type).toBe(name);
    return [event];
  });
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  return events;
}

const user = (content: string): object => ({ type: "message", role: "user", content: [{ type: "input_text", text: content }] });
const add = {
  type: "function",
  name: "add",
  description: "Adds.",
  parameters: { type: "object", properties: { left: { type: "number" } }, required: ["left"], additionalProperties: false },
  strict: true,
};
const patch = {
  type: "custom",
  name: "patch",
  description: "Edits files.",
  format: { type: "grammar", syntax: "lark", definition: 'start: "a"' },
};
const textOf = (items: readonly Item[]): string =>
  items.flatMap((item) => (item.type === "message" ? (item.content as { text: string }[]).map(({ text }) => text) : [])).join("");
const models = ["gpt-6-sol", "gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "deepseek-chat"];

describe.each(entryNames)("through the %s server", (entry) => {
  test("a text in, a response out, whole and in events, charged as its usage says", async () => {
    const account = await openAccount();
    const { status, headers, body } = await respond(account, { instructions: "Be brief.", metadata: { job: "7" } }, entry);
    expect(status).toBe(200);
    expect(headers.get("x-request-id")).toBe(body.id);
    expect(textOf(body.output)).toMatch(/^Simulated answer/);
    expect(body).toMatchObject({
      object: "response",
      status: "completed",
      error: null,
      instructions: "Be brief.",
      metadata: { job: "7" },
      store: false,
      previous_response_id: null,
      truncation: "disabled",
    });
    const [charge] = await chargesOf(account.accountId);
    expect(body.usage).toMatchObject({ input_tokens: Number(charge?.input_tokens), output_tokens: Number(charge?.output_tokens) });

    const events = await stream(account, { instructions: "Be brief." }, entry);
    const types = events.map(({ type }) => type);
    expect([...new Set(types)]).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    const deltas = events.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta);
    const ended = events.at(-1)?.response;
    expect(deltas.join("")).toBe(textOf(body.output));
    expect(textOf(ended?.output ?? [])).toBe(textOf(body.output));
    expect(ended?.usage).toEqual(body.usage);
    await expectPaid(account);
  });
});

test.each(models)("%s: function and custom tools go out and come back, over two turns, whole and streamed", async (model) => {
  const account = await openAccount();
  for (const isStream of [false, true]) {
    const say = async (fields: object): Promise<Body> => {
      if (!isStream) return (await respond(account, { model, tools: [add, patch], ...fields })).body;
      return (await stream(account, { model, tools: [add, patch], ...fields })).at(-1)?.response as Body;
    };
    const input = [user("[[simulate: tool=add,patch]]")];
    const first = await say({ input });
    const calls = first.output.filter(({ type }) => type.endsWith("_call"));
    expect(calls).toMatchObject([
      { type: "function_call", name: "add", call_id: expect.any(String), status: "completed" },
      { type: "custom_tool_call", name: "patch", call_id: expect.any(String), input: expect.any(String) },
    ]);
    expect(JSON.parse(calls[0]?.arguments as string)).toEqual({ left: 1 });
    const outputs = [
      { type: "function_call_output", call_id: calls[0]?.call_id, output: "forty-two" },
      { type: "custom_tool_call_output", call_id: calls[1]?.call_id, output: [{ type: "input_text", text: "patched" }] },
    ];
    const second = await say({ input: [...input, ...first.output, ...outputs] });
    expect(textOf(second.output)).toMatch(/forty-two.*patched/);
    expect(second.status).toBe("completed");
  }
  expect(await chargesOf(account.accountId)).toHaveLength(4);
  await expectPaid(account);
});

test("the events of calls: a function's arguments in pieces, a custom tool's input whole", async () => {
  const account = await openAccount();
  const events = await stream(account, { tools: [add, patch], input: [user("[[simulate: tool=add,patch]]")] });
  const of = (type: string) => events.filter((event) => event.type === `response.${type}`);
  const [done] = of("function_call_arguments.done");
  const pieces = of("function_call_arguments.delta").map(({ delta }) => delta);
  expect(pieces.join("")).toBe(done?.arguments);
  expect(pieces.length).toBeGreaterThan(1);
  expect(of("custom_tool_call_input.delta").map(({ delta }) => delta)).toEqual(of("custom_tool_call_input.done").map(({ input }) => input));
  expect(of("output_item.done").map(({ item }) => item)).toEqual(events.at(-1)?.response?.output);
});

describe("reasoning", () => {
  const asked = { include: ["reasoning.encrypted_content"], reasoning: { effort: "low", summary: "auto" }, tools: [add] };
  const input = [user("[[simulate: tool=add reasoning=30]]")];

  test.each(["gpt-6-sol", "claude-sonnet-5-5"])("%s: it leaves sealed and comes back to its maker", async (model) => {
    const account = await openAccount();
    for (const isStream of [false, true]) {
      const first = isStream
        ? ((await stream(account, { model, ...asked, input })).at(-1)?.response as Body)
        : (await respond(account, { model, ...asked, input })).body;
      expect(first.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
      expect(first.output[0]).toMatchObject({ summary: [{ type: "summary_text" }], encrypted_content: expect.stringMatching(/^pp1\./) });
      const output = { type: "function_call_output", call_id: first.output[1]?.call_id, output: "forty-two" };
      // The simulated vendors verify what comes back, as the real ones do.
      const again = { model, ...asked, input: [...input, ...first.output, output] };
      const second = await respond(account, again);
      expect(second.status).toBe(200);
      expect(textOf(second.body.output)).toContain("forty-two");
      // Another model gets the conversation without it.
      expect((await respond(account, { ...again, model: "gpt-6-luna" })).status).toBe(200);
      expect((await respond(account, { ...again, model: "gemini-2.5-flash" })).status).toBe(200);
    }
    await expectPaid(account);
  });

  test("it stays out of an answer that asked for none of it", async () => {
    const account = await openAccount();
    const { body } = await respond(account, { tools: [add], input });
    expect(body.output.map(({ type }) => type)).toEqual(["function_call"]);
    expect(body.usage?.output_tokens_details.reasoning_tokens).toBe(30);
  });

  test("what another service or another account sealed is refused, with what to do", async () => {
    const [account, other] = [await openAccount(), await openAccount()];
    const { body } = await respond(other, { ...asked, input });
    const foreign = { type: "reasoning", summary: [], encrypted_content: "gAAAAABpKxQk9V0h1PMh" };
    for (const item of [
      foreign,
      body.output[0],
      { ...body.output[0], encrypted_content: `${String(body.output[0]?.encrypted_content)}x` },
    ]) {
      const refused = await respond(account, { input: [user("Hi"), item, user("Go on")] });
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_encrypted_content", param: "input.1.encrypted_content" } },
      });
      expect(refused.body.error?.message).toContain("Remove the reasoning items");
    }
  });

  test("without its encrypted content an item has nothing to read again, and is passed over", async () => {
    const account = await openAccount();
    const input = [user("Hi"), { type: "reasoning", id: "rs_1", summary: [] }, user("Go on")];
    expect((await respond(account, { input })).status).toBe(200);
  });
});

test("allowed_tools, a named tool and none reach the model", async () => {
  const account = await openAccount();
  const named = async (tool_choice: unknown) =>
    (await respond(account, { tools: [add, patch], tool_choice })).body.output.map(({ type, name }) => [type, name]);
  expect(await named({ type: "function", name: "add" })).toEqual([["function_call", "add"]]);
  expect(await named({ type: "custom", name: "patch" })).toEqual([["custom_tool_call", "patch"]]);
  expect(await named("none")).toEqual([["message", undefined]]);
  const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "custom", name: "patch" }] };
  expect(await named(allowed)).toEqual([["custom_tool_call", "patch"]]);
  expect((await respond(account, { tools: [add], tool_choice: { type: "function", name: "sub" } })).body.error?.param).toBe("tool_choice");
});

test("an answer that its limit cut is incomplete, and one below OpenAI's minimum is honoured", async () => {
  const account = await openAccount();
  const input = "Go on. [[simulate: tokens=100]]";
  for (const limit of [5, 20]) {
    const { body } = await respond(account, { input, max_output_tokens: limit });
    expect(body).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, max_output_tokens: limit });
    expect(body.usage?.output_tokens).toBe(limit);
    expect((await stream(account, { input, max_output_tokens: limit })).at(-1)?.type).toBe("response.incomplete");
  }
  await expectPaid(account);
});

test("text.format: the answer is the JSON that its schema asks for, at every model", async () => {
  const account = await openAccount();
  const format = {
    type: "json_schema",
    name: "sky",
    schema: { type: "object", properties: { sky: { type: "string" } }, required: ["sky"], additionalProperties: false },
  };
  for (const model of models) {
    const { body } = await respond(account, { model, text: { format, verbosity: "low" } });
    expect(JSON.parse(textOf(body.output)), model).toEqual({ sky: "example" });
  }
});

test("a stream that breaks off ends with response.failed, and what was delivered is charged", async () => {
  const account = await openAccount();
  const events = await stream(account, { input: "Go on. [[simulate: tokens=100 error-midway]]" });
  const last = events.at(-1);
  expect(last?.type).toBe("response.failed");
  expect(last?.response).toMatchObject({
    status: "failed",
    error: { code: "INTERNAL_ERROR", message: expect.any(String), details: { cost: { totalCost: expect.any(Number) } } },
  });
  expect(await chargesOf(account.accountId)).toHaveLength(1);
  await expectPaid(account);
});

test("a retry under its Idempotency-Key is answered from the first run, events and numbers included", async () => {
  const account = await openAccount();
  const body = { model: "gpt-6-sol", input: [user("[[simulate: reasoning=5 tool=add]]")], tools: [add], stream: true };
  const send = () => ask({ url: service.url(entryNames[0]), key: account.key, path, body, headers: { "idempotency-key": "one" } });
  const [first, second] = [await send(), await send()];
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  const last = (text: string): Event => JSON.parse(text.trim().split("\ndata: ").at(-1) ?? "") as Event;
  expect(last(second.text).response).toEqual(last(first.text).response);
  expect(await chargesOf(account.accountId)).toHaveLength(1);
});
