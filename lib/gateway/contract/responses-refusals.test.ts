// What POST /api/v1/responses refuses, in OpenAI's form with our code inside, and what it leaves out of a request.

import { expect, test } from "vitest";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf } from "./testing/books";
import { ask, QUESTION } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();

interface Body {
  error: { message: string; code: string; param: string | null } | null;
}

async function respond({ key }: Pick<TestAccount, "key">, fields: object) {
  const body = { model: "gpt-6-sol", input: QUESTION, ...fields };
  const answer = await ask({ url: service.url("node"), key, path: "/api/v1/responses", body });
  return { ...answer, body: JSON.parse(answer.text) as Body };
}

const add = { type: "function", name: "add", parameters: null };
const manyTools = Array.from({ length: 129 }, (_, index) => ({ type: "function", name: `tool_${index}` }));

test("hosted tools that nothing forces are dropped and named; forced ones are refused", async () => {
  const account = await openAccount();
  const tools = [
    { type: "web_search" },
    add,
    { type: "local_shell" },
    { type: "mcp", server_label: "x", server_url: "https://example.com" },
  ];
  const served = await respond(account, { tools });
  expect(served.status).toBe(200);
  expect(served.headers.get("x-dropped-tools")).toBe("web_search, local_shell, mcp");
  const forced = [
    { tools, tool_choice: { type: "web_search" } },
    { tools: [{ type: "web_search" }], tool_choice: "required" },
    { tools, tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "web_search" }] } },
  ];
  for (const fields of forced) {
    const { status, body } = await respond(account, fields);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "INVALID_REQUEST", param: "tool_choice", message: expect.stringContaining("web_search") });
  }
});

const call = { type: "function_call", call_id: "c", name: "add", arguments: "{}" };

test.each([
  [{ store: true }, "store", "Send the whole conversation"],
  [{ previous_response_id: "resp_1" }, "previous_response_id", "Send the earlier items"],
  [{ conversation: "conv_1" }, "conversation", "Send the earlier items"],
  [{ background: true }, "background", "Stream the answer instead"],
  [{ prompt: { id: "pmpt_1" } }, "prompt", "Send instructions and input"],
  [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input.0.type", "Send the item itself"],
  [{ input: [{ type: "local_shell_call", id: "x" }] }, "input.0.type", "Send function or custom tools"],
  [{ input: [{ type: "computer_call_output", call_id: "x" }] }, "input.0.type", "Send function or custom tools"],
  [{ input: [{ type: "message", role: "user", content: [{ type: "input_file", file_id: "x" }] }] }, "input.0.content", ""],
  [{ input: [call] }, "input.0", "has no output"],
  [{ input: [call, call, { type: "function_call_output", call_id: "c", output: "x" }] }, "input.1", "has no output"],
  [{ input: [{ type: "function_call_output", call_id: "c", output: "x" }] }, "input.0.call_id", "does not match an earlier function_call"],
  [{ input: [] }, "input", "at least one item"],
  [{ input: undefined }, "input", "is required"],
  [{ input: [{ hello: "there" }] }, "input.0", ""],
  [{ tools: [{ type: "function", name: "no good" }] }, "tools.0.name", "letters, digits"],
  [{ tools: [{ type: 7 }] }, "tools.0.type", "must be function or custom"],
  [{ tools: [{ type: "namespace", name: "n", tools: [{ type: "web_search" }] }] }, "tools.0.tools.0.type", "must be function or custom"],
  [{ tools: [{ type: "namespace", name: "n", tools: manyTools }] }, "tools", "at most 128"],
  [
    { input: [{ type: "additional_tools", role: "developer", tools: [{ type: 7 }] }] },
    "input.0.tools.0.type",
    "must be function or custom",
  ],
  [
    { input: [{ type: "tool_search_output", execution: "client", call_id: "c", tools: [] }] },
    "input.0.call_id",
    "does not match an earlier tool_search_call",
  ],
  [{ tools: [add], tool_choice: { type: "function", name: "add", namespace: "n" } }, "tool_choice", "not in tools"],
])("%j is refused in OpenAI's form, with our code and what to do", async (fields, param, words) => {
  const account = await openAccount();
  const { status, headers, body } = await respond(account, fields);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: "invalid_request_error", code: "INVALID_REQUEST", requestId: headers.get("x-request-id") });
  expect(body.error?.param).toContain(param);
  expect(body.error?.message).toContain(words);
  expect(await chargesOf(account.accountId)).toEqual([]);
});
