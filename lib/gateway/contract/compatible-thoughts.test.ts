// Compatible servers behind the whole gateway: their thoughts reach the client and go back to the model that made them, and a stream's first
// event tells the counts that the provider has sent by then.

import { describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { add, chunk, event, openCompatibleHost, question, readMessage, said, streamed, thinking, whole } from "./testing/compatible-host";

const { answers, lastSent, standInFor, message, chat, respond, count } = await openCompatibleHost();

describe("thoughts", () => {
  const call = { id: "call_1", type: "function", function: { name: "add", arguments: '{"left":1}' } };
  const details = [{ type: "reasoning.text", text: "Add them.", signature: "sig", index: 0 }];
  const forms: [form: string, answer: object, back: object][] = [
    ["reasoning_content", { content: "Well: ", reasoning_content: "Add them." }, { content: "Well: ", reasoning_content: "Add them." }],
    ["reasoning", { content: null, reasoning: "Add them." }, { reasoning: "Add them." }],
    ["reasoning_details", { content: null, reasoning: "Add them.", reasoning_details: details }, { reasoning_details: details }],
    [
      "Mistral's parts",
      { content: [{ type: "thinking", thinking: [said("Add them.")] }, said("Well: ")] },
      { content: [{ type: "thinking", thinking: [said("Add them.")], closed: true }, said("Well: ")] },
    ],
  ];
  const result = (id: string | undefined) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "2" }] });

  test.each(forms)("in %s go back to the model that made them, in the same form, and to no other", async (_form, answer, back) => {
    const account = await openAccount();
    for (const stream of [false, true]) {
      const calls = stream ? [{ ...call, index: 0 }] : [call];
      answers(stream ? streamed([answer, { tool_calls: calls }], "tool_calls") : whole({ ...answer, tool_calls: calls }, "tool_calls"));
      const first = readMessage(await message(account, { stream, tools: [add] }));
      expect(first.content[0]).toEqual(thinking("Add them."));
      expect(first.stop_reason).toBe("tool_use");
      answers(whole({ content: "Two." }));
      const turns = [question, { role: "assistant", content: first.content }, result(first.content.at(-1)?.id)];
      expect((await message(account, { tools: [add], messages: turns })).status).toBe(200);
      expect(lastSent().messages[1]).toMatchObject(back);
      expect((await message(account, { tools: [add], messages: turns, model: "other-model" })).status).toBe(200);
      const elsewhere = lastSent().messages[1] ?? {};
      expect(Object.keys(elsewhere).sort()).toEqual(["content", "role", "tool_calls"]);
      expect(JSON.stringify(elsewhere)).not.toContain("Add them.");
      expect((await message(account, { tools: [add], messages: turns, model: "strict-model" })).status).toBe(200);
      expect(lastSent().messages[1]).toMatchObject({ reasoning_content: "" });
    }
    await expectPaid(account);
  });

  test.each(["strict-model", "deepseek-v4-pro"])("of %s, which refuses messages without, over Responses", async (model) => {
    standInFor("deepseek");
    const account = await openAccount();
    answers(whole({ content: null, reasoning_content: "Add them.", tool_calls: [call] }, "tool_calls"), whole({ content: "Two." }));
    const tools = [{ type: "function", name: "add", parameters: add.input_schema, strict: false }];
    const fields = { model, tools, include: ["reasoning.encrypted_content"], reasoning: { summary: "auto" } };
    const { output } = JSON.parse((await respond(account, fields)).text) as { output: { type: string; call_id: string }[] };
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Add them." }], encrypted_content: expect.stringMatching(/^pp1\./) },
      { type: "function_call", name: "add" },
    ]);
    const input = [question, ...output, { type: "function_call_output", call_id: output[1]?.call_id, output: "2" }];
    expect((await respond(account, { ...fields, input })).status).toBe(200);
    expect(lastSent().messages[1]).toMatchObject({ role: "assistant", reasoning_content: "Add them.", tool_calls: [{ id: "call_1" }] });
    await expectPaid(account);
  });

  test("are no part of a chat completion, which has no field for them", async () => {
    const account = await openAccount();
    answers(whole({ content: "Two.", reasoning_content: "Add them." }));
    expect((await chat(account)).text).not.toContain("Add them.");
    expect(await chargesOf(account.accountId)).toMatchObject([{ estimated: false, output_tokens: 8n }]);
  });

  test.each([false, true])("stream %s: that nobody is shown are output of an answer whose provider does not count", async (stream) => {
    const account = await openAccount();
    const thought = { reasoning_content: "First add the one to the other, then look whether that is two." };
    const streamedAnswer = chunk(thought) + chunk({ content: "Two." }) + chunk({}, "stop") + event("[DONE]");
    answers(stream ? streamedAnswer : whole({ content: "Two.", ...thought }, "stop", {}));
    expect((await chat(account, { stream })).text).not.toContain("First add");
    const [charge] = await chargesOf(account.accountId);
    expect(charge).toMatchObject({ estimated: true, outcome: "complete" });
    expect(charge?.reasoning_tokens).toBeGreaterThan(10n);
    expect(charge?.output_tokens).toBeGreaterThan(charge?.reasoning_tokens ?? 0n);
    await expectPaid(account);
  });
});

describe("counts before the answer", () => {
  const startOf = (text: string) => {
    const [, data = "{}"] = /^event: message_start\ndata: (.*)$/m.exec(text) ?? [];
    return (JSON.parse(data) as { message: { usage: object } }).message.usage;
  };

  test("message_start has Anthropic's count of the input, the stored copy as well; the end has what is charged", async () => {
    standInFor("anthropic");
    const account = await openAccount();
    const counted = { input_tokens: 25, cache_creation_input_tokens: 300, cache_read_input_tokens: 700, output_tokens: 1 };
    const events = [
      { type: "message_start", message: { id: "msg_1", content: [], usage: counted } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Rome." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 12 } },
      { type: "message_stop" },
    ];
    answers(events.map(event).join(""));
    const long = { role: "user", content: "Why? ".repeat(400) };
    const fields = { model: "claude-haiku-4-5", stream: true, messages: [long] };
    for (const replayed of [null, "true"]) {
      const answer = await message(account, fields, { "idempotency-key": "counts" });
      expect(answer.headers.get("idempotent-replayed")).toBe(replayed);
      expect(startOf(answer.text)).toMatchObject(counted);
      expect(answer.text).toMatch(/"message_delta".*"input_tokens":25,.*"output_tokens":12,/);
    }
    expect(await chargesOf(account.accountId)).toMatchObject([{ input_tokens: 1_025n, output_tokens: 12n, estimated: false }]);
  });

  test("message_start says 0 where the provider counts at the end only", async () => {
    answers(streamed([{ content: "Rome." }]));
    const { text } = await message(await openAccount(), { stream: true });
    expect(startOf(text)).toEqual({ input_tokens: 0, output_tokens: 0 });
  });

  test("count_tokens of a model that nobody counts ahead for is our estimate, marked as one, and free", async () => {
    const account = await openAccount();
    const short = await count(account);
    expect({ status: short.status, body: JSON.parse(short.text) }).toEqual({
      status: 200,
      body: { input_tokens: expect.any(Number), estimated: true },
    });
    const long = await count(account, {
      messages: [{ role: "user", content: "one two three four five ".repeat(200) }],
      system: "Be brief.",
      tools: [add],
    });
    const { input_tokens } = JSON.parse(long.text) as { input_tokens: number };
    expect(input_tokens).toBeGreaterThan(1_000);
    expect(input_tokens).toBeLessThan(1_300);
    expect(JSON.parse((await count(account, { model: "gpt-4o-mini" })).text)).toMatchObject({ estimated: true });
    await expectUncharged(account);
  });
});
