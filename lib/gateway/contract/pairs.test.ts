// Every dialect of the API with every wire format behind it: a conversation with a tool over two turns, whole and streamed, answered and
// charged.

import { describe, expect, test } from "vitest";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const question = "[[simulate: tool=add]]";
const parameters = { type: "object", properties: { left: { type: "number" } }, required: ["left"], additionalProperties: false };

interface Turn {
  text: string;
  calls: { id: string; name: string; arguments: unknown }[];
  /** What the next turn repeats of this one. */
  said: object[];
}

interface Dialect {
  path: string;
  first: (model: string) => object;
  /** The same with the first turn and the tool's result. */
  second: (model: string, first: Turn) => object;
  readWhole: (body: never) => Turn;
  /** From the data of a stream's events. */
  readStream: (events: never[]) => Turn;
}

const dialects: Record<string, Dialect> = { chat: chatDialect(), messages: messagesDialect(), responses: responsesDialect() };

const routes: [format: string, model: string][] = [
  ["chat completions", "gpt-4o-mini"],
  ["Responses", "gpt-6-sol"],
  ["Anthropic", "claude-haiku-4-5"],
  ["Gemini", "gemini-2.5-flash-lite"],
];

async function take(account: TestAccount, dialect: Dialect, body: object, stream: boolean): Promise<Turn> {
  const sent = stream ? { ...body, stream } : body;
  const { status, text } = await ask({ url: service.url(entryNames[0]), key: account.key, path: dialect.path, body: sent });
  expect({ status, text }).toMatchObject({ status: 200 });
  if (!stream) return dialect.readWhole(JSON.parse(text) as never);
  const data = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json ?? "") as never);
  return dialect.readStream(data);
}

describe.each(Object.entries(dialects))("%s in", (_name, dialect) => {
  test.each(routes)("%s out: two turns with a tool, whole and streamed, are answered and charged", async (_format, model) => {
    const account = await openAccount();
    for (const stream of [false, true]) {
      const first = await take(account, dialect, dialect.first(model), stream);
      expect(first.calls).toEqual([{ id: expect.stringMatching(/\S/), name: "add", arguments: { left: 1 } }]);
      const second = await take(account, dialect, dialect.second(model, first), stream);
      expect(second.text).toContain("forty-two");
      expect(second.calls).toEqual([]);
    }
    expect(await chargesOf(account.accountId)).toHaveLength(4);
    await expectPaid(account);
  });
});

function chatDialect(): Dialect {
  interface Call {
    id: string;
    type: string;
    function: { name: string; arguments: string };
  }
  interface Message {
    content: string | null;
    tool_calls?: Call[];
  }
  const turnOf = (message: Message): Turn => ({
    text: message.content ?? "",
    calls: (message.tool_calls ?? []).map(({ id, function: made }) => ({ id, name: made.name, arguments: JSON.parse(made.arguments) })),
    said: [{ role: "assistant", ...message }],
  });
  const first = (model: string) => ({
    model,
    messages: [{ role: "user", content: question }],
    tools: [{ type: "function", function: { name: "add", parameters } }],
  });
  return {
    path: "/api/v1/chat/completions",
    first,
    second: (model, { said, calls }) => {
      const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "forty-two" }));
      return { ...first(model), messages: [...first(model).messages, ...said, ...results] };
    },
    readWhole: (body: { choices: [{ message: Message }] }) => turnOf(body.choices[0].message),
    readStream: (chunks: { choices: { delta: { content?: string; tool_calls?: ({ index: number } & Call)[] } }[] }[]) => {
      const calls: Call[] = [];
      let content = "";
      for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
        content += delta.content ?? "";
        for (const { index, ...piece } of delta.tool_calls ?? []) {
          const known = calls[index];
          if (known) known.function.arguments += piece.function.arguments;
          else calls[index] = piece;
        }
      }
      return turnOf(calls.length > 0 ? { content: content || null, tool_calls: calls } : { content });
    },
  };
}

function responsesDialect(): Dialect {
  interface Item {
    type: string;
    name: string;
    call_id: string;
    arguments: string;
    content: { text: string }[];
  }
  const turnOf = (items: Item[]): Turn => ({
    text: items.flatMap((item) => (item.type === "message" ? item.content.map(({ text }) => text) : [])).join(""),
    calls: items.flatMap((item) =>
      item.type === "function_call" ? [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) }] : [],
    ),
    said: items,
  });
  const first = (model: string) => ({
    model,
    input: [{ role: "user", content: question }],
    tools: [{ type: "function", name: "add", parameters, strict: true }],
  });
  return {
    path: "/api/v1/responses",
    first,
    second: (model, { said, calls }) => {
      const results = calls.map(({ id }) => ({ type: "function_call_output", call_id: id, output: "forty-two" }));
      return { ...first(model), input: [...first(model).input, ...said, ...results] };
    },
    readWhole: (body: { output: Item[] }) => turnOf(body.output),
    readStream: (events: { type: string; item?: Item }[]) =>
      turnOf(events.flatMap(({ type, item }) => (type === "response.output_item.done" && item ? [item] : []))),
  };
}

function messagesDialect(): Dialect {
  interface Block {
    type: string;
    text?: string;
    id?: string;
    name?: string;
    input?: unknown;
  }
  interface StreamEvent {
    type: string;
    index: number;
    content_block: Block;
    delta: { type: string; text?: string; partial_json?: string };
  }
  const turnOf = (content: Block[]): Turn => ({
    text: content.map(({ text }) => text ?? "").join(""),
    calls: content.flatMap(({ type, id = "", name = "", input }) => (type === "tool_use" ? [{ id, name, arguments: input }] : [])),
    said: [{ role: "assistant", content }],
  });
  const first = (model: string) => ({
    model,
    max_tokens: 500,
    messages: [{ role: "user", content: question }],
    tools: [{ name: "add", input_schema: parameters }],
  });
  return {
    path: "/api/v1/messages",
    first,
    second: (model, { said, calls }) => {
      const content = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "forty-two" }));
      return { ...first(model), messages: [...first(model).messages, ...said, { role: "user", content }] };
    },
    readWhole: (body: { content: Block[] }) => turnOf(body.content),
    readStream: (events: StreamEvent[]) => {
      const blocks: Block[] = [];
      const json: string[] = [];
      for (const { type, index, content_block, delta } of events) {
        if (type === "content_block_start") blocks[index] = content_block;
        const block = blocks[index];
        if (type !== "content_block_delta" || !block) continue;
        if (delta.text !== undefined) block.text = (block.text ?? "") + delta.text;
        if (delta.partial_json !== undefined) json[index] = (json[index] ?? "") + delta.partial_json;
      }
      return turnOf(
        blocks.map((block, index) => (block.type === "tool_use" ? { ...block, input: JSON.parse(json[index] || "{}") } : block)),
      );
    },
  };
}
