// POST /api/v1/messages in every detail that a client's package does not show: Anthropic's shapes and statuses of errors, keys in either
// header, what is dropped and what is refused, thoughts that come back, marks of a prefix to be cached, and what reaches a provider.

import { describe, expect, test } from "vitest";
import type { ErrorCode } from "@/lib/base/errors";
import { endpoints, setEndpoints } from "@/lib/providers/endpoints";
import { removedFields } from "../messages/body";
import { openAccount, type TestAccount } from "./testing/accounts";
import { expectPaid } from "./testing/books";
import { type Answer, ask, QUESTION } from "./testing/client";
import { recordRequests } from "./testing/recorder";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const url = service.url("node");
const path = "/api/v1/messages";

const claude = "claude-haiku-4-5";
const bodyOf = (fields: object = {}): object => ({
  model: "gpt-4o-mini",
  max_tokens: 500,
  messages: [{ role: "user", content: QUESTION }],
  ...fields,
});
const send = (account: Pick<TestAccount, "key">, fields: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  ask({ url, key: account.key, path, body: bodyOf(fields), headers });

interface MessagesError {
  type: string;
  error: { type: string; message: string; code: ErrorCode; details: Record<string, unknown> };
  request_id: string;
}

function readRefusal({ status, headers, text }: Answer): MessagesError & { status: number } {
  const body = JSON.parse(text) as MessagesError;
  expect(Object.keys(body)).toEqual(["type", "error", "request_id"]);
  expect(body.type).toBe("error");
  expect(headers.get("request-id")).toBe(body.request_id);
  expect(headers.get("x-request-id")).toBe(body.request_id);
  expect(body.error.details.docs).toMatch(/\/docs\/errors\//);
  return { status, ...body };
}

const add = { name: "add", input_schema: { type: "object", properties: { left: { type: "number" } }, required: ["left"] } };

describe.each(entryNames)("errors in Anthropic's form, through the %s server", (entry) => {
  const at = (fields: object, key: string) => ask({ url: service.url(entry), key, path: `${path}?beta=true`, body: bodyOf(fields) });

  test("each with its status and type, and our code inside", async () => {
    const { key } = await openAccount();
    const poor = await openAccount({ usd: "0" });
    const limited = await openAccount({ limits: { ratePerMinute: 1, concurrency: 10 } });
    await at({}, limited.key);
    const refusals: [object, string, number, string, ErrorCode][] = [
      [{}, "pp_wrong", 401, "authentication_error", "INVALID_API_KEY"],
      [{}, poor.key, 402, "billing_error", "INSUFFICIENT_BALANCE"],
      [{ model: "claude-99" }, key, 404, "not_found_error", "INVALID_MODEL"],
      [{}, limited.key, 429, "rate_limit_error", "RATE_LIMIT_EXCEEDED"],
      [{ max_tokens: undefined }, key, 400, "invalid_request_error", "INVALID_REQUEST"],
      [{ messages: [{ role: "narrator", content: "Hi" }] }, key, 400, "invalid_request_error", "INVALID_REQUEST"],
      [{ messages: [{ role: "user", content: "[[simulate: status=500]]" }] }, key, 500, "api_error", "INTERNAL_ERROR"],
    ];
    for (const [fields, as, status, type, code] of refusals) {
      expect(readRefusal(await at(fields, as)), code).toMatchObject({ status, error: { type, code } });
    }
  });
});

test("a fault inside a block is named with its path and its cure", async () => {
  const account = await openAccount();
  const faults: [unknown, string, RegExp][] = [
    [{ role: "narrator", content: "Hi" }, "messages.0.role", /must be user or assistant/],
    [{ role: "user", content: [{ type: "image", source: {} }] }, "messages.0.content.0.source.type", /must be base64|is required/],
    [{ role: "user", content: [{ type: "document", source: {} }] }, "messages.0.content.0.source.type", /must be text or content/],
    [{ role: "user", content: [{ type: "document", source: { type: "url" } }] }, "messages.0.content.0", /PDF .* Send its text/],
    [{ role: "user", content: [{ type: "tool_result", content: "42" }] }, "messages.0.content.0.tool_use_id", /is required/],
    [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "add", input: "{}" }] },
      "messages.0.content.0.input",
      /JSON object|record/,
    ],
  ];
  for (const [message, where, cure] of faults) {
    const { error } = readRefusal(await send(account, { messages: [message] }));
    const [issue] = error.details.issues as { path: string; message: string }[];
    expect(issue?.path).toBe(where);
    expect(issue?.message).toMatch(cure);
  }
});

describe("the key", () => {
  const withHeaders = (headers: Record<string, string>) => ask({ url, path, body: bodyOf(), headers });

  test("counts in either header", async () => {
    const { key } = await openAccount();
    expect((await withHeaders({ "x-api-key": key })).status).toBe(200);
    expect((await withHeaders({ authorization: `Bearer ${key}` })).status).toBe(200);
    expect(readRefusal(await withHeaders({ "x-api-key": "sk-ant-api03-foreign" }))).toMatchObject({ status: 401 });
  });

  test("of ours in Authorization counts before another in x-api-key, and one of ours in x-api-key before a foreign token", async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    await withHeaders({ authorization: `Bearer ${first.key}`, "x-api-key": second.key });
    await expectPaid(first);
    expect((await withHeaders({ authorization: `Bearer ${first.key}`, "x-api-key": "sk-ant-api03-foreign" })).status).toBe(200);
    expect((await withHeaders({ authorization: "Bearer sk-ant-oat01-foreign", "x-api-key": second.key })).status).toBe(200);
  });
});

describe("tools of Anthropic's own", () => {
  const search = { type: "web_search_20250305", name: "web_search", max_uses: 5 };

  test("that nothing forces are dropped, and named in a header", async () => {
    const account = await openAccount();
    const answer = await send(account, { tools: [search, add, { type: "mcp_toolset", mcp_server_name: "x" }] });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-dropped-tools")).toBe("web_search, mcp_toolset");
    expect((await send(account, { tools: [search], tool_choice: { type: "auto" } })).status).toBe(200);
  });

  test.each([{ type: "tool", name: "web_search" }, { type: "any" }])("that are forced are refused: %j", async (tool_choice) => {
    const { status, error } = readRefusal(await send(await openAccount(), { tools: [search], tool_choice }));
    expect(status).toBe(400);
    expect(error.message).toMatch(/tool_choice.*(no tool to call|only runs at Anthropic)/);
  });
});

describe("what reaches Anthropic", () => {
  test("only what a request may cost: no beta, no premium, no field that it would refuse", async () => {
    const { key } = await openAccount();
    const before = endpoints();
    const recorder = await recordRequests(before, "anthropic");
    setEndpoints(recorder.endpoints);
    try {
      const removed = Object.fromEntries(Object.keys(removedFields).map((name) => [name, { type: "priority" }]));
      const fields = { ...removed, model: claude, unknown_field: 1, service_tier: "priority", stream: false };
      const headers = { "anthropic-beta": "fast-mode-2026-02-01,context-1m-2025-08-07", "anthropic-version": "2023-06-01" };
      const answer = await ask({ url, key, path: `${path}?beta=true`, body: bodyOf(fields), headers });
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
      const [sent] = recorder.requests;
      expect(Object.keys(sent?.body ?? {}).sort()).toEqual(["max_tokens", "messages", "model", "service_tier"]);
      expect(sent?.body.service_tier).toBe("standard_only");
      expect(sent?.headers["anthropic-beta"]).toBeUndefined();
      expect(sent?.path).not.toContain("beta");
    } finally {
      setEndpoints(before);
      await recorder.stop();
    }
  });

  test("marks of a prefix to be cached, where the client put them", async () => {
    const { key } = await openAccount();
    const before = endpoints();
    const recorder = await recordRequests(before, "anthropic");
    setEndpoints(recorder.endpoints);
    const mark = { cache_control: { type: "ephemeral" } };
    const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
    try {
      const fields = {
        model: claude,
        system: [
          { type: "text", text: "Be brief." },
          { type: "text", text: "Rules", ...hour },
        ],
        tools: [{ ...add, ...mark }],
        messages: [{ role: "user", content: [{ type: "text", text: QUESTION, ...mark }] }],
      };
      expect((await ask({ url, key, path, body: bodyOf(fields) })).status).toBe(200);
      expect(recorder.requests[0]?.body).toMatchObject({
        system: [
          { type: "text", text: "Be brief." },
          { type: "text", text: "Rules", ...hour },
        ],
        tools: [{ name: "add", ...mark }],
        messages: [{ role: "user", content: [{ type: "text", text: QUESTION, ...mark }] }],
      });
    } finally {
      setEndpoints(before);
      await recorder.stop();
    }
  });

  test("at most four marks", async () => {
    const parts = Array.from({ length: 5 }, () => ({ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }));
    const { error } = readRefusal(await send(await openAccount(), { messages: [{ role: "user", content: parts }] }));
    expect(error.message).toMatch(/at most 4 blocks, not on 5/);
  });
});

describe("thoughts that come back", () => {
  const question = { role: "user", content: "[[simulate: tool=add reasoning=20]]" };
  const thinking = { type: "enabled", budget_tokens: 2_000 };

  interface Block {
    type: string;
    id?: string;
    thinking?: string;
    signature?: string;
  }

  /** A first turn that thinks and calls the tool, and the request that answers it. */
  async function firstTurn(account: TestAccount) {
    const fields = { model: claude, max_tokens: 4_000, tools: [add], thinking };
    const answer = await send(account, { ...fields, messages: [question] });
    const { content } = JSON.parse(answer.text) as { content: Block[] };
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: content.at(-1)?.id, content: "forty-two" }] };
    const second = (change: (block: Block) => object = (block) => block) => ({
      ...fields,
      messages: [
        question,
        { role: "assistant", content: content.map((block) => (block.type === "thinking" ? change(block) : block)) },
        result,
      ],
    });
    return { second };
  }

  test("unchanged are taken by the model that made them, and dropped for another", async () => {
    const account = await openAccount();
    const { second } = await firstTurn(account);
    const again = await send(account, second());
    expect({ status: again.status, text: again.text }).toMatchObject({ status: 200, text: expect.stringContaining("forty-two") });
    const elsewhere = await send(account, { ...second(), model: "gpt-4o-mini" });
    expect({ status: elsewhere.status, text: elsewhere.text }).toMatchObject({ status: 200, text: expect.stringContaining("forty-two") });
    expect((await send(account, { ...second(), model: "claude-sonnet-4-5" })).status).toBe(200);
  });

  test("with a signature of another service, or of another account, are refused with what to remove", async () => {
    const account = await openAccount();
    const { second } = await firstTurn(account);
    const foreign = await send(
      account,
      second((block) => ({ ...block, signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" })),
    );
    const { status, error } = readRefusal(foreign);
    expect(status).toBe(400);
    expect(error.details.issues).toEqual([
      { path: "messages.1.content.0", message: expect.stringContaining("remove the thinking and redacted_thinking blocks") },
    ]);
    // Claude Code 2.1.332 leaves its thoughts out and asks again when it reads either of these sentences.
    expect(error.message).toMatch(/^messages\.1\.content\.0: Invalid `signature` in `thinking` block/);
    expect((await send(await openAccount(), second())).status).toBe(400);
    const redacted = await send(
      account,
      second(() => ({ type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" })),
    );
    expect(readRefusal(redacted).error.message).toMatch(/^messages\.1\.content\.0: Invalid `data` in `redacted_thinking` block/);
  });

  test("with other words are refused by their maker, whose 400 is ours", async () => {
    const account = await openAccount();
    const { second } = await firstTurn(account);
    const answer = await send(
      account,
      second((block) => ({ ...block, thinking: `${block.thinking} And more.` })),
    );
    expect(readRefusal(answer)).toMatchObject({
      status: 400,
      error: { type: "invalid_request_error", details: { reason: "provider_rejected" } },
    });
  });
});

test("a stream sends Anthropic's events in their order, and a retry gets the same text again", async () => {
  const account = await openAccount();
  const headers = { "idempotency-key": "one" };
  const fields = { model: claude, stream: true, messages: [{ role: "user", content: `${QUESTION} [[simulate: reasoning=5]]` }] };
  const first = await send(account, fields, headers);
  const types = [...first.text.matchAll(/^event: (\w+)$/gm)].map(([, type]) => type);
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  for (const [, type, data = ""] of first.text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)) expect(JSON.parse(data)).toMatchObject({ type });
  const again = await send(account, fields, headers);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.headers.get("request-id")).toBe(first.headers.get("x-request-id"));
  const textOf = (text: string) =>
    [...text.matchAll(/"(?:text|thinking)_delta","(?:text|thinking)":"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join("");
  expect(textOf(again.text)).toBe(textOf(first.text));
  await expectPaid(account);
});

test("a limit above the model's own maximum means that maximum", async () => {
  const account = await openAccount({ usd: "500" });
  expect((await send(account, { max_tokens: 64_000 })).status).toBe(200);
});
