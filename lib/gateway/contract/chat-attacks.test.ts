// A hostile client at POST /api/v1/chat/completions: bodies that are deep, wide, odd or full of faults, and streams that break or are
// abandoned in the middle of a tool call. Each is answered or refused, and the books agree afterwards.

import { describe, expect, test } from "vitest";
import { openAccount, type TestAccount } from "./testing/accounts";
import { awaitCharge, balanceOf, chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { type Answer, ask, open, QUESTION } from "./testing/client";
import { withinCpuMs } from "./testing/cpu";
import { entryNames, openService } from "./testing/service";

const service = await openService();

const path = "/api/v1/chat/completions";
const models = ["gpt-4o-mini", "claude-haiku-4-5", "gemini-2.5-flash-lite", "grok", "deepseek-chat"];

/** JSON of `levels` nested objects. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const repeated = (item: string, times: number): string => `[${Array(times).fill(item).join(",")}]`;
const question = { role: "user", content: QUESTION };

/** A conversation with one tool call and its result. */
const called = (text: string, { id = "call_1", name = "f", result = "fine" } = {}): object[] => [
  question,
  { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: text } }] },
  { role: "tool", tool_call_id: id, content: result },
];

/** A body as text, since JSON.stringify cannot write all of these; `more` follows its messages. */
const bodyOf = (model: string, messages: unknown, more = ""): string =>
  `{"model":"${model}","messages":${typeof messages === "string" ? messages : JSON.stringify(messages)}${more}}`;

const functionWith = (parameters: string): string => `,"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
const wideObject = (keys: number): string => `{${Array.from({ length: keys }, (_, at) => `"p${at}":1`).join(",")}}`;

interface Completion {
  choices: { message: { content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] } }[];
}

interface ChatError {
  error: { code: string; param: string | null; details: { issues: { path: string; message: string }[] } };
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const send = (account: TestAccount, body: string | object, key?: string): Promise<Answer> =>
    ask({
      url,
      path,
      key: account.key,
      body,
      headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
    });

  test.each<[what: string, messages: unknown, more?: string]>([
    ["arguments of a thousand levels", called(nested(1_000))],
    // JSON.stringify fails beyond some four thousand levels, including those around it.
    ["arguments at JSON.stringify's own limit", called(nested(4_099))],
    ["arguments of twenty thousand levels", called(nested(20_000))],
    ["a result of twenty thousand levels", called("{}", { result: nested(20_000) })],
    ["an ignored field of a hundred thousand levels", [question], `,"metadata":${nested(100_000)}`],
    ["an ignored array of a hundred thousand levels", [question], `,"user":${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["a schema of ninety levels", [question], functionWith(nested(90))],
    ["a schema of ten thousand keys", [question], functionWith(wideObject(10_000))],
    ["thirty thousand parts of a message", [{ role: "user", content: Array(30_000).fill({ type: "text", text: "a" }) }]],
    ["names of Object.prototype", called('{"__proto__":{"a":1}}', { id: "__proto__", name: "constructor" }), ',"__proto__":{"model":1}'],
    ["unpaired surrogates", called('{"\ud800":"\udc00"}', { id: "c\ud800", name: "f\udc00", result: "\ud800" }), ',"stop":["\\ud800"]'],
    ["zero-width and NUL characters", called('{"a":"\0"}', { id: "c\0", name: "\u200b", result: "\0" })],
    ["an empty result", called("", { result: "" })],
  ])("%s: answered by every model, charged once and replayed", async (_what, messages, more) => {
    const account = await openAccount({ usd: "50" });
    for (const model of models) {
      const first = await send(account, bodyOf(model, messages, more), model);
      expect(first.status, first.text.slice(0, 500)).toBe(200);
      const again = await send(account, bodyOf(model, messages, more), model);
      expect([again.headers.get("idempotent-replayed"), again.text]).toEqual(["true", first.text]);
    }
    expect(await chargesOf(account.accountId)).toHaveLength(models.length);
    await expectPaid(account);
  });

  test.each<[what: string, messages: string, more: string, param: string]>([
    ["messages", repeated("0", 500_000), "", "messages.0"],
    ["empty messages", repeated("{}", 340_000), "", "messages.0.role"],
    ["tool calls", `[{"role":"assistant","tool_calls":${repeated("0", 500_000)}}]`, "", "messages.0.tool_calls.0"],
    ["parts", `[{"role":"user","content":${repeated("0", 500_000)}}]`, "", "messages.0.content"],
    ["images", `[{"role":"user","content":${repeated('{"type":"file"}', 60_000)}}]`, "", "messages.0.content.0"],
    ["tools", '[{"role":"user","content":"x"}]', `,"tools":${repeated("0", 500_000)}`, "tools"],
    ["stops", '[{"role":"user","content":"x"}]', `,"stop":${repeated("0", 500_000)}`, "stop"],
    ["levels of messages", `${"[".repeat(400_000)}${"]".repeat(400_000)}`, "", "messages.0"],
    ["levels of a schema", '[{"role":"user","content":"x"}]', functionWith(nested(100_000)), "tools.0.function.parameters"],
  ])("a megabyte of faulty %s is refused with its first faults", async (_what, messages, more, param) => {
    const account = await openAccount();
    const { result, cpuMs } = await withinCpuMs(1_000, () => send(account, bodyOf("gpt-4o-mini", messages, more), "faulty"));
    const { status, text } = result;
    // About 50 ms of this process's CPU time; reporting every fault would take seconds, in which no other request is served.
    expect(cpuMs).toBeLessThan(1_000);
    const { error } = JSON.parse(text) as ChatError;
    expect({ status, ...error }).toMatchObject({ status: 400, code: "INVALID_REQUEST", param });
    expect(error.details.issues.length).toBeLessThanOrEqual(20);
    await expectUncharged(account);
  });

  test("a long body with a few faults among good messages is refused with all of them", async () => {
    const account = await openAccount();
    const messages = [...Array(2_000).fill(question), { role: "user" }, { role: "user", content: [{ type: "text" }] }, { role: "wizard" }];
    const { error } = JSON.parse((await send(account, { model: "gpt-4o-mini", messages, n: 2 })).text) as ChatError;
    expect(error.details.issues.map((issue) => issue.path)).toEqual([
      "messages.2000.content",
      "messages.2001.content",
      "messages.2002.role",
      "n",
    ]);
    await expectUncharged(account);
  });

  test.each(models)("%s calls a function named like a property of Object.prototype", async (model) => {
    const account = await openAccount();
    for (const name of ["__proto__", "constructor", "toString"]) {
      const tools = [{ type: "function", function: { name, parameters: { type: "object", properties: {} } } }];
      const { text } = await send(account, { model, messages: [question], tools, tool_choice: { type: "function", function: { name } } });
      const [choice] = (JSON.parse(text) as Completion).choices;
      expect(choice?.message.tool_calls?.map((call) => call.function)).toEqual([{ name, arguments: "{}" }]);
    }
    await expectPaid(account);
  });

  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object", properties: { city: { type: "string" } } } } }];
  const callingTool = (directives: string, model: string): object => ({
    model,
    stream: true,
    tools,
    messages: [{ role: "user", content: `${QUESTION} [[simulate: tool=f ${directives}]]` }],
  });

  test.each(models)("%s fails in the middle of a tool call: charged for what arrived, and replayed under its key", async (model) => {
    const account = await openAccount();
    const body = callingTool("close-midway", model);
    const [first, again] = [await send(account, body, "dies"), await send(account, body, "dies")];
    if (first.status === 200) {
      const events = first.text.trimEnd().split("\n\n");
      expect(events[0]).toContain('"role":"assistant"');
      expect(events.at(-1)).toContain('"code":"INTERNAL_ERROR"');
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.text.trimEnd().split("\n\n").at(-1)).toBe(events.at(-1));
      expect(await chargesOf(account.accountId)).toMatchObject([{ outcome: "partial" }]);
      await expectPaid(account);
    } else {
      // A provider that sends tool calls whole delivered nothing.
      expect([first.status, again.status]).toEqual([500, 500]);
      await expectUncharged(account);
    }
  });

  test.each(models)("%s is abandoned after the first chunk: charged once, and saved for its key", async (model) => {
    const account = await openAccount();
    const body = { model, stream: true, messages: [{ role: "user", content: `${QUESTION} [[simulate: slow=20 tokens=60]]` }] };
    const leave = new AbortController();
    const headers = { "idempotency-key": "left" };
    const response = await open({ url, path, key: account.key, body, headers, signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await awaitCharge(account.accountId);
    await expectPaid(account);
    const again = await send(account, body, "left");
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.text).toMatch(/^data: \{[^\n]*"role":"assistant"/);
    expect(await chargesOf(account.accountId)).toMatchObject([{ outcome: "cancelled" }]);
  });

  test.each(["gpt-4o-mini", "claude-haiku-4-5", "grok", "deepseek-chat"])(
    "%s: a client that leaves also pays for a megabyte of tools and for thousands of empty messages",
    async (model) => {
      const slow = { role: "user", content: `${QUESTION} [[simulate: slow=20 tokens=60]]` };
      const large = { type: "function", function: { name: "f", description: "word ".repeat(40_000) } };
      const inputs = [{ messages: [slow], tools: [large] }, { messages: [...Array(10_000).fill({ role: "user", content: "." }), slow] }];
      for (const input of inputs) {
        const account = await openAccount({ usd: "50" });
        const leave = new AbortController();
        const response = await open({ url, path, key: account.key, body: { model, stream: true, ...input }, signal: leave.signal });
        await response.body?.getReader().read();
        leave.abort();
        const charge = await awaitCharge(account.accountId);
        expect(charge).toMatchObject({ outcome: "cancelled", estimated: true });
        // A word is a token, nearly, and an empty message two: its dot, and a mark before it.
        expect(charge.input_tokens).toBeGreaterThan(18_000n);
        await expectPaid(account);
      }
    },
  );

  test("of forty requests at once, whole and streamed, the balance covers those that are served, and it is never below zero", async () => {
    const account = await openAccount({ usd: "0.0005" });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => {
        const body = { model: "gpt-4o-mini", messages: [question], max_tokens: 10 + at, stream: at % 2 === 0 };
        return send(account, body, at % 4 === 0 ? `of forty ${at}` : undefined);
      }),
    );
    const served = answers.filter(({ status }) => status === 200).length;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
    await expectPaid(account);
    expect(await chargesOf(account.accountId)).toHaveLength(served);
    expect(await balanceOf(account.accountId)).toBeGreaterThanOrEqual(0n);
  });
});
