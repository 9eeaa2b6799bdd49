// Codex CLI against the running service. Its bodies and headers have the form that openai/codex builds (codex-rs/core/src/client.rs,
// codex-rs/codex-api, codex-rs/tools, read 2026-11-26): a stream, nothing stored, encrypted reasoning, a custom tool with a grammar, hosted
// tools, namespaces for the tools of MCP servers, and for models in its "Responses Lite" all tools in an item of the input.

import { type IncomingMessage, request } from "node:http";
import { expect, test } from "vitest";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask, open } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const session = "019ac0de-7f00-7a11-8000-3c1f5e8d2b10";

const headers = {
  accept: "text/event-stream",
  originator: "codex_cli_rs",
  "user-agent": "codex_cli_rs/0.162.1 (Debian 13.0.0; x86_64) xterm-256color",
  version: "0.162.1",
  session_id: session,
  conversation_id: session,
  "x-client-request-id": session,
};

const grammar = [
  "start: begin hunk+ end",
  'begin: "*** Begin Patch" LF',
  'end: "*** End Patch" LF?',
  'hunk: "*** Add File: " /(.+)/ LF ("+" /(.*)/ LF)+',
  "%import common.LF",
].join("\n");

const string = { type: "string" };
const object = (properties: object, required: string[]) => ({ type: "object", properties, required, additionalProperties: false });
const tools = [
  {
    type: "function",
    name: "exec_command",
    description: "Runs a command in a terminal.",
    strict: false,
    parameters: object({ cmd: string, workdir: string, yield_time_ms: { type: "number" } }, ["cmd"]),
  },
  {
    type: "function",
    name: "update_plan",
    description: "Shows the plan.",
    strict: false,
    parameters: object({ plan: { type: "array", items: object({ step: string, status: string }, ["step", "status"]) } }, ["plan"]),
  },
  {
    type: "custom",
    name: "apply_patch",
    description: "Edits files. The input is a patch and no JSON.",
    format: { type: "grammar", syntax: "lark", definition: grammar },
  },
  { type: "web_search", external_web_access: false },
  { type: "local_shell" },
];

const message = (role: string, text: string) => ({ type: "message", role, content: [{ type: "input_text", text }] });
const conversation = (prompt: string): object[] => [
  message("developer", "Commands run without a sandbox. Ask for nothing."),
  message("user", "<environment_context>\n  <cwd>/repo</cwd>\n  <shell>bash</shell>\n</environment_context>"),
  message("user", prompt),
];

interface Item {
  type: string;
  call_id?: string;
  [field: string]: unknown;
}

test("Codex's list of models has the field it requires, and adds nothing to its own", async () => {
  const url = service.url(entryNames[0]);
  const answer = await ask({ url, path: "/api/v1/models?client_version=0.162.1", method: "GET", headers });
  expect(JSON.parse(answer.text)).toMatchObject({
    models: [],
    data: expect.arrayContaining([expect.objectContaining({ object: "model" })]),
  });
  expect(JSON.parse((await ask({ url, path: "/api/v1/models", method: "GET" })).text)).not.toHaveProperty("models");
});

test("a websocket that Codex offers is answered 426, whatever the query, and it goes on over HTTP", async () => {
  const path = "/api/v1/responses?client_version=0.162.1";
  const headers = {
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const offer = request(service.url("node") + path, { headers });
  // The service keeps the connection open for the next request, so the test hangs up itself.
  const status = await new Promise((resolve, reject) => {
    for (const event of ["response", "upgrade"]) offer.on(event, ({ statusCode }: IncomingMessage) => resolve(statusCode));
    offer.on("error", reject);
    offer.end();
  });
  offer.destroy();
  expect(status).toBe(426);
});

/** What Codex keeps of a turn: the items of `response.output_item.done`, and what `response.completed` says of its tokens. */
async function turn({ key }: TestAccount, model: string, input: readonly object[], fields: object = {}) {
  const body = {
    model,
    instructions: "You are a coding agent in a terminal.",
    input,
    tools,
    tool_choice: "auto",
    parallel_tool_calls: true,
    reasoning: { effort: "medium", summary: "auto" },
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: session,
    text: { verbosity: "low" },
    client_metadata: { "x-codex-installation-id": "2b0d9a52-3d8e-4b1f-9f0a-6f6b4fd0a111" },
    ...fields,
  };
  const response = await open({ url: service.url(entryNames[0]), key, path: "/api/v1/responses", headers, body });
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const events = text.split("\n\n").flatMap((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    return data ? [JSON.parse(data) as { type: string; item?: Item; response?: { id: string; usage: object | null } }] : [];
  });
  const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" && item ? [item] : []));
  return { items, last: events.at(-1), dropped: response.headers.get("x-dropped-tools") };
}

/** Codex sends its items back without their ids, reasoning with an empty content. */
function kept({ id: _, ...item }: Item): Item {
  return item.type === "reasoning" ? { ...item, content: null } : item;
}

test.each(["gpt-6-sol", "claude-sonnet-5-5", "gemini-2.5-flash", "gpt-4o-mini", "grok-4.20"])(
  "Codex works with %s: it plans, runs and patches, and gets an answer from what came of it",
  async (model) => {
    const account = await openAccount();
    const asked = conversation("Add a file. [[simulate: reasoning=40 tool=exec_command,apply_patch]]");
    const first = await turn(account, model, asked);
    expect(first.dropped).toBe("web_search, local_shell");
    expect(first.last).toMatchObject({
      type: "response.completed",
      response: {
        id: expect.any(String),
        usage: {
          input_tokens: expect.any(Number),
          input_tokens_details: { cached_tokens: expect.any(Number) },
          output_tokens: expect.any(Number),
          output_tokens_details: { reasoning_tokens: expect.any(Number) },
          total_tokens: expect.any(Number),
        },
      },
    });
    const calls = first.items.filter(({ type }) => type.endsWith("_call"));
    expect(calls.map(({ type, name }) => [type, name])).toEqual([
      ["function_call", "exec_command"],
      ["custom_tool_call", "apply_patch"],
    ]);
    expect(typeof calls[1]?.input).toBe("string");

    const outputs = [
      { type: "function_call_output", call_id: calls[0]?.call_id, output: "Exit code: 0\nOutput:\nREADME.md" },
      { type: "custom_tool_call_output", call_id: calls[1]?.call_id, output: "Success. Updated the following files:\nA one.txt" },
    ];
    const second = await turn(account, model, [...asked, ...first.items.map(kept), ...outputs]);
    expect(second.last?.type).toBe("response.completed");
    const [answer] = second.items.filter(({ type }) => type === "message");
    expect(JSON.stringify(answer)).toMatch(/README\.md.*A one\.txt/);

    // A third turn takes the answer with it, its phase included.
    const third = await turn(account, model, [
      ...asked,
      ...first.items.map(kept),
      ...outputs,
      ...second.items.map(kept),
      message("user", "Thanks."),
    ]);
    expect(third.last?.type).toBe("response.completed");
    expect(await chargesOf(account.accountId)).toHaveLength(3);
    await expectPaid(account);
  },
);

test("reasoning that Codex carries along goes back to the model that made it, and stays out of another's turn", async () => {
  const account = await openAccount();
  const asked = conversation("Look. [[simulate: reasoning=40 tool=exec_command]]");
  const first = await turn(account, "gpt-6-sol", asked);
  expect(first.items.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
  const output = { type: "function_call_output", call_id: first.items[1]?.call_id, output: "done" };
  for (const model of ["gpt-6-sol", "gpt-6-luna", "claude-sonnet-5-5"]) {
    const { last } = await turn(account, model, [...asked, ...first.items.map(kept), output]);
    expect(last?.type, model).toBe("response.completed");
  }
  await expectPaid(account);
});

const described = (name: string, description = `Tools in the ${name} namespace.`) => ({ type: "namespace", name, description });
const tool = (name: string) => ({ type: "function", name, description: "", strict: false, parameters: object({ text: string }, ["text"]) });
const docs = { ...described("mcp__docs", "The team's documents."), tools: [tool("search"), { type: "custom", name: "write" }] };
const calendar = { ...described("mcp__calendar"), tools: [{ ...tool("create_event"), defer_loading: true }] };
const toolSearch = {
  type: "tool_search",
  execution: "client",
  description: "Searches for tools.",
  parameters: object({ query: string, limit: { type: "number" } }, ["query"]),
};

/** How Codex finds the tool of a call, and what it may not have. */
const called = (items: readonly Item[]) =>
  items.filter(({ type }) => type.endsWith("_call")).map(({ type, namespace, name }) => [type, namespace, name]);

test.each(["gpt-6-sol", "claude-sonnet-5-5", "gemini-2.5-flash", "gpt-4o-mini"])(
  "%s calls tools in namespaces and those that a search of Codex's found, and each call comes back under its own names",
  async (model) => {
    const account = await openAccount();
    const given = { tools: [...tools, docs, toolSearch] };
    const asked = conversation("Go. [[simulate: tool=exec_command,mcp__docs__search,mcp__docs__write,tool_search]]");
    const first = await turn(account, model, asked, given);
    expect(first.dropped).toBe("web_search, local_shell");
    expect(called(first.items)).toEqual([
      ["function_call", undefined, "exec_command"],
      ["function_call", "mcp__docs", "search"],
      ["custom_tool_call", "mcp__docs", "write"],
      ["tool_search_call", undefined, undefined],
    ]);
    const [run, search, write, find] = first.items.filter(({ type }) => type.endsWith("_call"));
    expect(find).toMatchObject({ execution: "client", call_id: expect.any(String), arguments: { query: expect.any(String) } });
    expect(first.last).toMatchObject({ response: { tools: expect.arrayContaining([expect.objectContaining(toolSearch)]) } });

    const outputs = [
      { type: "function_call_output", call_id: run?.call_id, output: "done" },
      { type: "function_call_output", call_id: search?.call_id, output: "page 7" },
      { type: "custom_tool_call_output", call_id: write?.call_id, output: "written" },
      { type: "tool_search_output", call_id: find?.call_id, status: "completed", execution: "client", tools: [calendar] },
    ];
    const history = [...asked, ...first.items.map(kept), ...outputs];
    const second = await turn(account, model, history, given);
    expect(JSON.stringify(second.items)).toMatch(/page 7.*mcp__calendar__create_event/);

    const again = message("user", "And that. [[simulate: tool=mcp__calendar__create_event]]");
    const third = await turn(account, model, [...history, ...second.items.map(kept), again], given);
    expect(called(third.items)).toEqual([["function_call", "mcp__calendar", "create_event"]]);
    await expectPaid(account);
  },
);

test("the tools of Responses Lite reach every model, though they stand in the input", async () => {
  const account = await openAccount();
  const own = { ...described("functions", ""), tools: tools.filter(({ type }) => type === "function" || type === "custom") };
  const lite = {
    tools: undefined,
    instructions: undefined,
    parallel_tool_calls: false,
    reasoning: { effort: "low", context: "all_turns" },
  };
  const asked = [
    { type: "additional_tools", role: "developer", tools: [own, docs] },
    message("developer", "You are a coding agent in a terminal."),
    message("user", "Patch it. [[simulate: tool=apply_patch]]"),
  ];
  for (const model of ["gpt-6-sol", "claude-sonnet-5-5", "gemini-2.5-flash"]) {
    const first = await turn(account, model, asked, lite);
    expect(called(first.items), model).toEqual([["custom_tool_call", undefined, "apply_patch"]]);
    const output = { type: "custom_tool_call_output", call_id: first.items.at(-1)?.call_id, output: "patched" };
    const second = await turn(account, model, [...asked, ...first.items.map(kept), output], lite);
    expect(JSON.stringify(second.items), model).toContain("patched");
  }
  await expectPaid(account);
});

test("what Codex's agents say to each other reaches the model; what only OpenAI can read is refused with the cure", async () => {
  const account = await openAccount();
  const said = (content: object) => ({ type: "agent_message", author: "planner", recipient: "planner.worker", content: [content] });
  const words = "Message Type: NEW_TASK\nSender: planner\nPayload:\nCount the files.";
  const heard = await turn(account, "claude-sonnet-5-5", [said({ type: "input_text", text: words })]);
  expect(heard.last?.type).toBe("response.completed");
  expect(JSON.stringify(heard.items)).toContain("NEW_TASK");
  const body = { model: "gpt-6-sol", input: [said({ type: "encrypted_content", encrypted_content: "gAAA" })] };
  const refused = await open({ url: service.url(entryNames[0]), key: account.key, path: "/api/v1/responses", body });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("send the words as input_text")]);
});
