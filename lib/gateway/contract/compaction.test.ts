// Compaction on the running service, as Codex 0.171 asks for it (codex-rs/core/src/compact_remote_v2.rs of openai/codex): the trigger at the end of
// the input of an ordinary stream, one compaction item back, and from then on the user's messages with that item behind them.

import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { openAccount, type TestAccount } from "./testing/accounts";
import { awaitCharge, chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { ask } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();
const url = service.url("node");
const path = "/api/v1/responses";
const codex = { accept: "text/event-stream", originator: "codex_exec", "user-agent": "codex_exec/0.171.0 (Debian 13.0.0; x86_64)" };

interface Item {
  type: string;
  id?: string;
  encrypted_content?: string;
}
interface Body {
  status: string;
  output: Item[];
  usage: { output_tokens: number; cost: number } | null;
  error: { message: string; code: string; type: string; param: string | null; details: { cost?: { totalCost: number } } } | null;
  incomplete_details: { reason: string } | null;
}
interface Event {
  type: string;
  sequence_number: number;
  item?: Item;
  response?: Body;
}

const tool = (name: string) => ({ type: "function", name, parameters: { type: "object", properties: { cmd: { type: "string" } } } });
const said = (role: string, text: string) => ({ type: "message", role, content: [{ type: "input_text", text }] });
const answered = (text: string) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const trigger = { type: "compaction_trigger" };
const conversation = [
  said("developer", "Commands run without a sandbox."),
  said("user", "Rename FILE-42 everywhere."),
  { type: "function_call", call_id: "call_1", name: "exec_command", arguments: '{"cmd":"rg FILE-42"}' },
  { type: "function_call_output", call_id: "call_1", output: "a.ts\nb.ts" },
  answered("Two files have it."),
];
const SUMMARY = "The user wants FILE-42 renamed. It stands in a.ts and b.ts; nothing is changed yet.";
const summarize = () => service.models.simulate(`text="${SUMMARY}"`);

interface Sending {
  model?: string;
  input?: readonly object[];
  headers?: Record<string, string>;
  [field: string]: unknown;
}

const bodyOf = ({ model = "gpt-6-sol", input = [...conversation, trigger], ...fields }: Sending) => ({
  ...{ model, instructions: "You are a coding agent in a terminal.", input, tools: [tool("exec_command")], tool_choice: "auto" },
  ...{ parallel_tool_calls: true, reasoning: { effort: "medium", summary: "auto" }, include: ["reasoning.encrypted_content"] },
  ...fields,
});

const send = ({ key }: Pick<TestAccount, "key">, { headers = codex, ...sending }: Sending) =>
  ask({ url, key, path, headers, body: bodyOf(sending) });

async function respond(account: Pick<TestAccount, "key">, sending: Sending = {}) {
  const answer = await send(account, sending);
  return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.text) as Body };
}

const readEvents = (text: string): Event[] => [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Event);

async function stream(account: Pick<TestAccount, "key">, sending: Sending = {}) {
  const { text } = await send(account, { stream: true, store: false, ...sending });
  const events = readEvents(text);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  const done = events.flatMap(({ type, item }) => (type === "response.output_item.done" && item ? [item] : []));
  return { events, done, last: events.at(-1)?.response };
}

/** The beginning of the last words of the user that a model got. */
const lastQuestion = async (): Promise<string> => (await service.models.calls()).calls.at(-1)?.question ?? "";

test.each(["gpt-6-sol", "gpt-4o-mini", "claude-sonnet-5-5", "gemini-2.5-flash", "grok-4.20"])(
  "Codex compacts with %s, and every model goes on from the summary",
  async (model) => {
    const account = await openAccount();
    await summarize();
    const { events, done, last } = await stream(account, { model });
    expect([...new Set(events.map(({ type }) => type))]).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.compaction.compacting",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(done).toEqual([{ id: expect.stringMatching(/^cmp_/), type: "compaction", encrypted_content: expect.stringMatching(/^pp1\./) }]);
    expect(last?.output).toEqual(done);
    expect(await lastQuestion()).toContain("Summarize this conversation now.");
    // Nothing of the summary is readable on the way: clients must not show it as an answer.
    expect(events.some((event) => event.type.startsWith("response.output_text"))).toBe(false);

    // In the middle of a turn Codex goes on at once: the item is the last of its input.
    for (const next of [model, "claude-sonnet-4-5", "deepseek-chat"]) {
      const went = await stream(account, { model: next, input: [said("user", "Rename FILE-42 everywhere."), ...done] });
      expect(went.events.at(-1)?.type, next).toBe("response.completed");
      expect(await lastQuestion(), next).toContain(`Summary of the conversation up to here:\n\n${SUMMARY}`);
    }
    const later = [said("user", "Rename FILE-42 everywhere."), ...done, answered("Done."), said("user", "Thanks."), trigger];
    await summarize();
    expect((await stream(account, { model, input: later })).done.map(({ type }) => type)).toEqual(["compaction"]);
    expect(await chargesOf(account.accountId)).toHaveLength(5);
    await expectPaid(account);
  },
);

test("whole: the openai package gets one compaction item, and its price is that of the call", async () => {
  const account = await openAccount();
  const client = new OpenAI({ apiKey: account.key, baseURL: `${url}/api/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Rename FILE-42." }];
  await summarize();
  const compacted = await client.responses.create({ model: "gpt-6-sol", input: [...input, { type: "compaction_trigger" }] });
  expect(compacted.output.map(({ type }) => type)).toEqual(["compaction"]);
  const [charge] = await chargesOf(account.accountId);
  expect(compacted.usage).toMatchObject({ input_tokens: Number(charge?.input_tokens), output_tokens: Number(charge?.output_tokens) });
  const [item] = compacted.output;
  if (item?.type !== "compaction") return expect.fail("no compaction item");
  await client.responses.create({ model: "gpt-6-sol", input: [...input, item] });
  expect(await lastQuestion()).toContain(SUMMARY);
  await summarize();
  const streamed = client.responses.stream({ model: "gpt-6-sol", input: [...input, { type: "compaction_trigger" }] });
  expect((await streamed.finalResponse()).output).toMatchObject([{ type: "compaction" }]);
  await expectPaid(account);
});

describe("what was not encrypted here", () => {
  // https://github.com/openai/codex/issues/8132: {"message": "The encrypted content gAAA...Rg== could not be verified.",
  // "type": "invalid_request_error", "param": null, "code": "invalid_encrypted_content"}, with status 400.
  test("is refused in OpenAI's words and code, with a cure, whoever wrote it", async () => {
    const [account, other] = [await openAccount(), await openAccount()];
    const thinking = { input: [said("user", "[[simulate: reasoning=30]]")] };
    const [thought] = (await respond(account, thinking)).body.output;
    const [[summary], [foreign]] = [(await respond(account)).body.output, (await respond(other)).body.output];
    const own = summary?.encrypted_content ?? "";
    const openai = "gAAAAABpKxQk9V0h1PMhRg==";
    const cases: [content: string | undefined, type: string, cure: RegExp][] = [
      [openai, "compaction", /send the items it replaces/],
      [openai, "compaction_summary", /send the items it replaces/],
      [openai, "reasoning", /Remove the reasoning items/],
      [foreign?.encrypted_content, "compaction", /send the items it replaces/],
      [`${own}x`, "compaction", /send the items it replaces/],
      [own.replace("FILE", "file"), "reasoning", /Remove the reasoning items/],
      // One kind of content in the place of the other.
      [own, "reasoning", /Remove the reasoning items/],
      [thought?.encrypted_content, "compaction", /send the items it replaces/],
      ["", "compaction", /send the items it replaces/],
      ["\u0000<script>\r\n", "reasoning", /Remove the reasoning items/],
    ];
    const before = (await chargesOf(account.accountId)).length;
    for (const [content, type, cure] of cases) {
      const input = [said("user", "Hi"), { type, summary: [], encrypted_content: content }, said("user", "Go on")];
      const { status, body } = await respond(account, { input });
      expect(status, type).toBe(400);
      expect(body.error).toMatchObject({
        type: "invalid_request_error",
        code: "invalid_encrypted_content",
        param: "input.1.encrypted_content",
        message: expect.stringMatching(/^The encrypted content [\w+/=.?-]{3,11} could not be verified\. Reason: /),
        details: { reason: "invalid_encrypted_content" },
      });
      expect(body.error?.message).toMatch(cure);
    }
    expect(await chargesOf(account.accountId)).toHaveLength(before);
  });

  test("the words are those of a client that heals, with other faults beside them, and each item is named", async () => {
    const account = await openAccount();
    const foreign = { type: "reasoning", summary: [], encrypted_content: "gAAAAABpKxQk9V0h1PMhRg==" };
    const { body } = await respond(account, { input: [{ hello: "there" }, foreign, said("user", "Hi"), foreign, said("user", "Hi")] });
    expect(body.error).toMatchObject({
      code: "invalid_encrypted_content",
      message: expect.stringContaining("The encrypted content gAAA...Rg== could not be verified."),
      details: { issues: [{ path: "input.1.encrypted_content" }, { path: "input.3.encrypted_content" }, { path: "input.0.type" }] },
    });
  });
});

describe("a summary that does not come whole", () => {
  // Claude says what it is about to do before it calls a tool; with the conversation's tools it may do so here.
  const said = 'tool=exec_command text="I will look at a.ts first."';
  test.each([
    ["without a word of it", false, "tool=exec_command"],
    ["without a word of it", true, "tool=exec_command"],
    ["with words before a tool's call in its place", false, said],
    ["with words before a tool's call in its place", true, said],
  ])("%s (stream: %s) the response fails, says that it was charged, and is kept as it was", async (_, isStream, behaviour) => {
    const account = await openAccount();
    await service.models.simulate(behaviour);
    const sending = { stream: isStream, headers: { ...codex, "idempotency-key": `empty-${isStream}` } };
    const first = await send(account, sending);
    expect(first.status).toBe(200);
    const lastOf = ({ text }: { text: string }) => (isStream ? readEvents(text).at(-1)?.response : (JSON.parse(text) as Body));
    const failed = lastOf(first);
    expect(failed).toMatchObject({ status: "failed", output: [], error: { message: expect.stringContaining("did not write a summary") } });
    const [charge] = await chargesOf(account.accountId);
    expect(failed?.error?.details.cost?.totalCost).toBe(Number((charge?.input_cost ?? 0n) + (charge?.output_cost ?? 0n)) / 1e9);
    const again = await send(account, sending);
    expect([lastOf(again), again.headers.get("idempotent-replayed")]).toEqual([failed, "true"]);
    expect(again.text).not.toContain("output_item.done");
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("cut by max_output_tokens: incomplete and charged, and no half of it leaves", async () => {
    const account = await openAccount();
    for (const isStream of [false, true]) {
      await summarize();
      const sending = { max_output_tokens: 5 };
      const cut = isStream ? (await stream(account, sending)).last : (await respond(account, sending)).body;
      expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [] });
    }
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });

  test.each(["error-midway", "close-midway", "rubbish-midway"])(
    "a provider that breaks off (%s) delivered nothing: nothing is charged",
    async (fault) => {
      const account = await openAccount();
      await service.models.simulate(`${fault} tokens=50`);
      const { events, done, last } = await stream(account, { headers: { ...codex, "idempotency-key": fault } });
      expect(done).toEqual([]);
      expect(events.at(-1)?.type).toBe("response.failed");
      expect(last?.error?.message).toContain("You were not charged");
      await expectUncharged(account);
      await summarize();
      const again = await stream(account, { headers: { ...codex, "idempotency-key": fault } });
      expect(again.done).toHaveLength(1);
      await expectPaid(account);
    },
  );

  test("a client that leaves is charged for the work, and its Idempotency-Key does not give half a summary", async () => {
    const account = await openAccount();
    await service.models.simulate("slow=50 tokens=60");
    const leave = new AbortController();
    const headers = { "content-type": "application/json", authorization: `Bearer ${account.key}`, "idempotency-key": "left" };
    const body = JSON.stringify(bodyOf({ stream: true, model: "grok-4.20" }));
    const response = await fetch(url + path, { method: "POST", headers, body, signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await awaitCharge(account.accountId);
    const again = await ask({ url, path, key: account.key, headers: { "idempotency-key": "left" }, body });
    const items = readEvents(again.text).filter(({ type }) => type === "response.output_item.done");
    const isWhole = readEvents(again.text).at(-1)?.type === "response.completed";
    expect(items).toHaveLength(isWhole ? 1 : 0);
    await expectPaid(account);
  });
});

test("a balance that covers no useful summary is refused before any call, where an answer would be clipped", async () => {
  const account = await openAccount({ usd: "0.01" });
  const input = [said("user", "Rename FILE-42.")];
  const { status, headers } = await respond(account, { input });
  expect([status, Number(headers.get("x-clipped-to")) > 0]).toEqual([200, true]);
  const charged = await chargesOf(account.accountId);
  const refused = await respond(account, { input: [...input, trigger] });
  expect([refused.status, refused.body.error?.code]).toEqual([402, "INSUFFICIENT_BALANCE"]);
  expect(await chargesOf(account.accountId)).toEqual(charged);
  // A limit of its own is the client's choice.
  expect((await respond(account, { input: [...input, trigger], max_output_tokens: 300 })).status).toBe(200);
});

test("the same Idempotency-Key gets the same summary, charged once", async () => {
  const account = await openAccount();
  await summarize();
  const headers = { ...codex, "idempotency-key": "compact-1" };
  const [first, second] = [await send(account, { stream: true, headers }), await send(account, { stream: true, headers })];
  const itemOf = (text: string) => readEvents(text).find(({ type }) => type === "response.output_item.done")?.item;
  expect(itemOf(first.text)).toBeDefined();
  expect(itemOf(second.text)).toEqual(itemOf(first.text));
  expect(await chargesOf(account.accountId)).toHaveLength(1);
  await expectPaid(account);
});

test("a conversation that does not fit reaches Codex as context_length_exceeded, as in any other turn", async () => {
  const account = await openAccount();
  await service.models.simulate("status=400");
  const whole = await respond(account, { model: "gpt-4o-mini" });
  expect(whole.status).toBe(400);
  const long = said("user", "word ".repeat(140_000));
  const { events } = await stream(account, { model: "gpt-4o-mini", input: [long, trigger] });
  expect(events).toMatchObject([{ type: "response.failed", response: { error: { code: "context_length_exceeded" } } }]);
  await expectUncharged(account);
});
