// What an answer says in each dialect, whole or streamed, in one form: read from its body or its events, as a client reads them. Anything that
// the dialect does not have fails.

import { expect } from "vitest";

export const askedDialects = ["prompt", "chat", "messages", "responses"] as const;
export type AskedDialect = (typeof askedDialects)[number];

export interface Said {
  text: string;
  /** Undefined where the dialect has no thoughts. */
  thinking?: string | undefined;
  redacted?: number;
  calls: { id: string; name: string; arguments: string }[];
  /** In the dialect's own word; undefined where it has none. */
  finish?: string | undefined;
  stopSequence?: string | null;
  usage: object;
  /** Of an answer that broke off: all of the above is what came before. */
  error?: { code: string; message: string } | undefined;
}

interface Part {
  type: string;
  text?: string;
  thinking?: string;
  id?: string;
  name?: string;
  input?: unknown;
}

interface Call {
  index: number;
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

/** The data of a stream's events. */
function eventsOf(text: string): { data: string[]; types: (string | undefined)[] } {
  expect(text.endsWith("\n\n"), text.slice(-200)).toBe(true);
  const blocks = text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  const read = blocks.map((block) => /^(?:event: (\S+)\n)?data: ([^\n]*)$/.exec(block) ?? expect.fail(`this is no event: ${block}`));
  return { data: read.map(([, , data]) => data ?? ""), types: read.map(([, type]) => type) };
}

const nothing = (): Said => ({ text: "", calls: [], usage: {} });

function promptBody({ text, usage }: { text: string; usage: object }): Said {
  return { text, calls: [], usage };
}

function promptStream(text: string): Said {
  const said = nothing();
  const { data, types } = eventsOf(text);
  for (const [index, json] of data.entries()) {
    const body = JSON.parse(json) as { text: string; usage: object; error: string; code: string };
    if (types[index] === "delta") said.text += body.text;
    else if (types[index] === "error") said.error = { code: body.code, message: body.error };
    else {
      expect(body.text).toBe(said.text);
      said.usage = body.usage;
    }
  }
  return said;
}

interface ChatBody {
  choices: [{ message: { content: string | null; tool_calls?: Omit<Call, "index">[] }; finish_reason: string }];
  usage: object;
}

function chatBody({ choices: [choice], usage }: ChatBody): Said {
  const calls = (choice.message.tool_calls ?? []).map(({ id, function: made }) => ({ id, ...made }));
  return { text: choice.message.content ?? "", calls, finish: choice.finish_reason, usage };
}

interface Chunk {
  choices: { delta: { content?: string; tool_calls?: Call[] }; finish_reason: string | null }[];
  usage?: object | null;
  error?: { code: string; message: string };
}

function chatStream(text: string): Said {
  const said = nothing();
  const { data } = eventsOf(text);
  const isFinished = data.at(-1) === "[DONE]";
  for (const json of data.slice(0, isFinished ? -1 : undefined)) {
    const { choices = [], usage, error } = JSON.parse(json) as Chunk;
    if (error) said.error = error;
    if (usage) said.usage = usage;
    for (const { delta, finish_reason } of choices) {
      said.text += delta.content ?? "";
      if (finish_reason !== null) said.finish = finish_reason;
      for (const { index, id, function: made } of delta.tool_calls ?? []) {
        const known = said.calls[index];
        if (known) known.arguments += made.arguments;
        else said.calls[index] = { id, ...made };
      }
    }
  }
  expect(isFinished, "a broken stream is not called finished").toBe(said.error === undefined);
  return said;
}

interface Message {
  content: Part[];
  stop_reason: string | null;
  stop_sequence: string | null;
  usage: object;
}

function messageBody({ content, stop_reason, stop_sequence, usage }: Message): Said {
  return {
    text: content.map(({ text }) => text ?? "").join(""),
    thinking: content.map(({ thinking }) => thinking ?? "").join(""),
    redacted: content.filter(({ type }) => type === "redacted_thinking").length,
    calls: content.flatMap(({ type, id = "", name = "", input }) =>
      type === "tool_use" ? [{ id, name, arguments: JSON.stringify(input) }] : [],
    ),
    finish: stop_reason ?? undefined,
    stopSequence: stop_sequence,
    usage,
  };
}

interface MessageEvent {
  type: string;
  index: number;
  message: Message;
  content_block: Part;
  delta: { text?: string; thinking?: string; partial_json?: string; stop_reason?: string; stop_sequence?: string | null };
  usage: object;
  error: { code: string; message: string };
}

function messageStream(text: string): Said {
  const blocks: Part[] = [];
  const json: string[] = [];
  const end: Omit<Message, "content"> = { stop_reason: null, stop_sequence: null, usage: {} };
  let error: Said["error"];
  const { data, types } = eventsOf(text);
  const events = data.map((one) => JSON.parse(one) as MessageEvent);
  expect(types).toEqual(events.map(({ type }) => type));
  for (const { type, index, content_block, delta, usage, error: given } of events) {
    const block = blocks[index];
    if (type === "content_block_start") blocks[index] = content_block;
    else if (type === "error") error = given;
    else if (type === "message_delta") Object.assign(end, delta, { usage });
    else if (type === "content_block_delta" && block) {
      if (delta.text !== undefined) block.text = (block.text ?? "") + delta.text;
      if (delta.thinking !== undefined) block.thinking = (block.thinking ?? "") + delta.thinking;
      if (delta.partial_json !== undefined) json[index] = (json[index] ?? "") + delta.partial_json;
    }
  }
  expect(events.at(-1)?.type, "a broken stream is not called finished").toBe(error ? "error" : "message_stop");
  const content = blocks.map((block) => (block.type === "tool_use" ? { ...block, input: {} } : block));
  const said = messageBody({ content, ...end });
  const calls = blocks.flatMap(({ type, id = "", name = "" }, index) =>
    type === "tool_use" ? [{ id, name, arguments: json[index] ?? "" }] : [],
  );
  return { ...said, calls, error };
}

interface Item {
  type: string;
  call_id: string;
  name: string;
  arguments: string;
  content: { text: string }[];
  summary: { text: string }[];
}

interface Response {
  status: string;
  incomplete_details: { reason: string } | null;
  output: Item[];
  usage: object | null;
  error: { code: string; message: string } | null;
}

function responseBody({ status, incomplete_details, output, usage, error }: Response): Said {
  const all = (wanted: string) => output.filter(({ type }) => type === wanted);
  return {
    text: all("message")
      .flatMap(({ content }) => content.map(({ text }) => text))
      .join(""),
    thinking: all("reasoning")
      .flatMap(({ summary }) => summary.map(({ text }) => text))
      .join(""),
    calls: all("function_call").map(({ call_id: id, name, arguments: given }) => ({ id, name, arguments: given })),
    finish: incomplete_details ? `${status}: ${incomplete_details.reason}` : status,
    usage: usage ?? {},
    error: error ?? undefined,
  };
}

interface ResponseEvent {
  type: string;
  output_index: number;
  delta: string;
  response: Response;
}

function responseStream(text: string): Said {
  const events = eventsOf(text).data.map((one) => JSON.parse(one) as ResponseEvent);
  const last = events.at(-1);
  expect(last?.type).toBe(`response.${last?.response.status}`);
  const said = responseBody(last?.response ?? expect.fail("there is no end"));
  const pieces = (wanted: string): string[] => {
    const items: string[] = [];
    for (const { type, output_index: at, delta } of events) if (type === wanted) items[at] = (items[at] ?? "") + delta;
    return items.filter((item) => item !== undefined);
  };
  expect(pieces("response.output_text.delta").join("")).toBe(said.text);
  expect(pieces("response.reasoning_summary_text.delta").join("")).toBe(said.thinking);
  expect(pieces("response.function_call_arguments.delta")).toEqual(said.calls.map((call) => call.arguments).filter(Boolean));
  return said;
}

const readers: Record<AskedDialect, { whole: (body: never) => Said; stream: (text: string) => Said }> = {
  prompt: { whole: promptBody, stream: promptStream },
  chat: { whole: chatBody, stream: chatStream },
  messages: { whole: messageBody, stream: messageStream },
  responses: { whole: responseBody, stream: responseStream },
};

/** Reads an answer of status 200. */
export const readSaid = (dialect: AskedDialect, stream: boolean, text: string): Said =>
  stream ? readers[dialect].stream(text) : readers[dialect].whole(JSON.parse(text) as never);

/** The code and the words of a refusal. */
export function readRefusal(dialect: AskedDialect, text: string): { code: string; message: string } {
  const body = JSON.parse(text) as { error: string; code: string };
  if (dialect === "prompt") return { code: body.code, message: body.error };
  return (JSON.parse(text) as { error: { code: string; message: string } }).error;
}
