// Conversations of the playground: priced, held and charged like a chat completion of the API, with thoughts and tool calls as events of their
// own.

import { beforeAll, describe, expect, test } from "vitest";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { balanceOf, chargesOf, expectPaid, expectUncharged } from "@/lib/gateway/contract/testing/books";
import { deltaText, open, readCosts, readPromptBody, type StreamEvent } from "@/lib/gateway/contract/testing/client";
import { entryNames, openService } from "@/lib/gateway/contract/testing/service";
import { openPlayground, settings } from "./testing";

const service = await openService({ env: settings });
const playground = openPlayground(service);
const { signIn, send } = playground;

const tools = [
  { type: "function", function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } } },
];
const conversation = (last: string, more: object = {}) => ({
  model: "gpt-4o-mini",
  max_completion_tokens: 64,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "One" },
    { role: "assistant", content: "First answer" },
    { role: "user", content: last },
  ],
  ...more,
});
/** Every event of a stream, also those that POST /api/v1/prompt does not have. */
const readEvents = (text: string): StreamEvent[] =>
  text.split("\n\n").flatMap((block) => {
    const [, event, data] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(block) ?? [];
    return event === undefined || data === undefined ? [] : [{ event, data }];
  });

const dataOf = (events: readonly StreamEvent[], name: string) =>
  events.filter(({ event }) => event === name).map(({ data }) => JSON.parse(data) as Record<string, unknown>);

describe.each(entryNames)("through the %s entry", (name) => {
  beforeAll(() => playground.use(name));

  test("a conversation costs exactly what the API charges for the same chat completion", async () => {
    const [inPlayground, byKey] = [await openAccount(), await openAccount()];
    const body = conversation("Two [[simulate: tokens=20]]");
    const events = readEvents(await (await send(await signIn(inPlayground), { body })).text());
    const done = events.at(-1)?.data ?? "";
    expect(readPromptBody(done).text).toBe(deltaText(events));
    expect(dataOf(events, "finish")).toEqual([{ reason: "stop", reasoningTokens: 0 }]);
    const answer = await open({ url: service.url("node"), key: byKey.key, path: "/api/v1/chat/completions", body });
    const paid = (await answer.json()) as { choices: { message: { content: string } }[]; usage: { cost: number } };
    expect(paid.choices[0]?.message.content).toBe(deltaText(events));
    expect(readCosts(done).totalCost).toBe(BigInt(Math.round(paid.usage.cost * 1e9)));
    expect(await balanceOf(inPlayground.accountId)).toBe(await balanceOf(byKey.accountId));
    expect(await chargesOf(inPlayground.accountId)).toHaveLength(1);
    await expectPaid(inPlayground);
  });

  test("a call of a tool arrives with its arguments, and its result is answered", async () => {
    const account = await openAccount();
    const headers = await signIn(account);
    const asked = conversation('Weather? [[simulate: tool=get_weather args="{\\"city\\":\\"Oslo\\"}"]]', { tools });
    const events = readEvents(await (await send(headers, { body: asked })).text());
    const calls = dataOf(events, "tool_call");
    expect(calls[0]).toMatchObject({ index: 0, id: expect.any(String), name: "get_weather" });
    const given = calls.map((call) => String(call.arguments)).join("");
    expect(JSON.parse(given)).toEqual({ city: "Oslo" });
    expect(dataOf(events, "finish")).toMatchObject([{ reason: "tool_calls" }]);
    const id = String(calls[0]?.id);
    const answered = {
      ...asked,
      messages: [
        ...asked.messages,
        { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: given } }] },
        { role: "tool", tool_call_id: id, content: "4 degrees" },
      ],
    };
    expect(deltaText(readEvents(await (await send(headers, { body: answered })).text()))).toContain("4 degrees");
    await expectPaid(account);
  });

  test("thoughts come as events of their own, before the text and outside of it", async () => {
    const account = await openAccount();
    const body = conversation("Think. [[simulate: reasoning=50 tokens=20]]", {
      model: "claude-sonnet-4-5",
      reasoning_effort: "low",
      max_completion_tokens: 4_000,
    });
    const events = readEvents(await (await send(await signIn(account), { body })).text());
    const thoughts = dataOf(events, "reasoning")
      .map(({ text }) => String(text))
      .join("");
    expect(thoughts.length).toBeGreaterThan(10);
    expect(events.findIndex(({ event }) => event === "reasoning")).toBeLessThan(events.findIndex(({ event }) => event === "delta"));
    expect(deltaText(events)).not.toContain(thoughts.slice(0, 20));
    await expectPaid(account);
  });

  test("is priced before it runs, with what becomes of it when it is stopped, and refused as the API refuses it", async () => {
    const account = await openAccount();
    const headers = await signIn(account);
    const priced = (await (await send(headers, { to: "quote", body: conversation("Two") })).json()) as Record<string, unknown>;
    expect(priced).toMatchObject({ model: "gpt-4o-mini", maxOutputTokens: 64, whenLeft: "cut", covered: true });
    const drained = await (await send(headers, { to: "quote", body: conversation("Two", { model: "gemini-3.5-flash-lite" }) })).json();
    expect(drained).toMatchObject({ whenLeft: "drained" });
    for (const to of ["answer", "quote"] as const) {
      const refused = await send(headers, {
        to,
        body: conversation("Two", { messages: [{ role: "tool", tool_call_id: "x", content: "y" }] }),
      });
      expect({ status: refused.status, ...(await refused.json()) }).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    }
    await expectUncharged(account);
  });

  test("takes images above the limit of a text, and a payment in its body", async () => {
    const account = await openAccount();
    const headers = await signIn(account);
    const png = Buffer.alloc(1_500_000);
    Buffer.from("89504e470d0a1a0a0000000d49484452000000100000001008020000009091683600000000", "hex").copy(png);
    const content = [
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png.toString("base64")}` } },
    ];
    const response = await send(headers, { body: conversation("", { messages: [{ role: "user", content }] }) });
    expect([response.status, readEvents(await response.text()).at(-1)?.event]).toEqual([200, "done"]);
    await expectPaid(account);
    const paid = await send(headers, { body: conversation("Two", { payment: {} }) });
    expect({ status: paid.status, ...(await paid.json()) }).toMatchObject({ status: 402, code: "PAYMENT_VERIFICATION_FAILED" });
  });
});
