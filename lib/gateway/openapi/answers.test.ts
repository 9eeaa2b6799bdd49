// The running service against its document: every answer and error has exactly the described fields and headers, and every path accepts
// exactly the described methods.

import { afterEach, describe, expect, test } from "vitest";
import { chainEntries } from "@/lib/audit/chain";
import { type ErrorCode, errorCatalogue } from "@/lib/base/errors";
import { parseUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { type Actor, runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { eventTypes } from "@/lib/events/catalogue";
import { numberEvents } from "@/lib/events/outbox";
import { setLowLine } from "@/lib/ledger/accounts";
import { addDeposit } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { openAccount } from "../contract/testing/accounts";
import { openHolds, until } from "../contract/testing/books";
import { type Answer, ask, misbehaving, open, promptOf, QUESTION, readEvents } from "../contract/testing/client";
import { openService } from "../contract/testing/service";
import { refuseNewRequests } from "../http/endpoint";
import { openApiDocument } from "./document";
import { errorSchemaName } from "./errors";
import { namedSchemas } from "./schemas";
import type { Operation } from "./types";

const service = await openService();
const url = service.url("node");

afterEach(() => forgetSingleton("gateway drain"));

/** HTTP's own headers, and those that belong to no operation. */
const ofHttp =
  /^(content-type|content-length|transfer-encoding|date|connection|keep-alive|cache-control|x-accel-buffering|x-content-type-options|access-control-.*)$/;

function operationOf(operationId: string): Operation {
  const operations = Object.values(openApiDocument().paths).flatMap((methods) => Object.values(methods));
  const found = operations.find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`there is no operation ${operationId}`);
  return found;
}

/** `body` has exactly the fields of the schema: one more or one less fails. */
function expectFields(schema: string, body: unknown): void {
  expect(namedSchemas[schema]?.parse(body), schema).toEqual(body);
}

function expectHeaders(operationId: string, { status, headers }: Answer): void {
  const described = Object.keys(operationOf(operationId).responses[status]?.headers ?? {}).map((name) => name.toLowerCase());
  const onSomeAnswers = ["idempotent-replayed", "x-clipped-to", "retry-after", "www-authenticate"];
  const sent = [...headers.keys()].filter((name) => !ofHttp.test(name));
  expect(
    sent.filter((name) => !described.includes(name)),
    `${operationId} ${status}`,
  ).toEqual([]);
  expect(described.filter((name) => !sent.includes(name) && !onSomeAnswers.includes(name))).toEqual([]);
}

function expectAnswer(operationId: string, answer: Answer, schema: string): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expectHeaders(operationId, answer);
  expectFields(schema, JSON.parse(answer.text));
}

function expectRefusal(operationId: string, answer: Answer, code: ErrorCode, schema = errorSchemaName(code)): void {
  const { status } = errorCatalogue[code];
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status, text: expect.stringContaining(`"${code}"`) });
  expectFields(schema, JSON.parse(answer.text));
  expect(operationOf(operationId).responses[status]?.content["application/json"]?.examples, operationId).toHaveProperty(code);
  expectHeaders(operationId, answer);
}

const chatOf = (fields: object = {}) => ({ model: "gpt-4o-mini", messages: [{ role: "user", content: QUESTION }], ...fields });
const chatPath = "/api/v1/chat/completions";

describe("answers", () => {
  test("a prompt, whole, replayed and as a stream", async () => {
    const { key } = await openAccount();
    const headers = { "idempotency-key": "one" };
    expectAnswer("createPrompt", await ask({ url, key, headers, body: promptOf() }), "PromptAnswer");
    const again = await ask({ url, key, headers, body: promptOf() });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expectAnswer("createPrompt", again, "PromptAnswer");
    const stream = await ask({ url, key, body: promptOf({ stream: true }) });
    expectHeaders("createPrompt", stream);
    for (const { event, data } of readEvents(stream.text))
      expectFields(event === "delta" ? "PromptDelta" : "PromptAnswer", JSON.parse(data));
  });

  test("a stream that its provider broke off ends with the described error", async () => {
    const { key } = await openAccount();
    const { text } = await ask({ url, key, body: misbehaving("close-midway", { stream: true }) });
    const last = readEvents(text).at(-1);
    expect(last?.event).toBe("error");
    expectFields("InternalError", JSON.parse(last?.data ?? ""));
    expect(last?.data).toContain('"cost"');
  });

  test("a chat completion, whole and as a stream with usage", async () => {
    const { key } = await openAccount();
    expectAnswer("createChatCompletion", await ask({ url, key, path: chatPath, body: chatOf() }), "ChatCompletion");
    const stream = await ask({ url, key, path: chatPath, body: chatOf({ stream: true, stream_options: { include_usage: true } }) });
    expectHeaders("createChatCompletion", stream);
    const events = stream.text.split("\n\n").filter((block) => block.startsWith("data: "));
    expect(events.length).toBeGreaterThan(3);
    expect(events.pop()).toBe("data: [DONE]");
    for (const event of events) expectFields("ChatCompletionChunk", JSON.parse(event.slice("data: ".length)));
  });

  test("a chat completion that calls a function", async () => {
    const { key } = await openAccount();
    const example = operationOf("createChatCompletion").requestBody?.content["application/json"].examples.tools?.value;
    const body = { ...(example as object), tool_choice: "required", messages: [{ role: "user", content: QUESTION }] };
    const whole = await ask({ url, key, path: chatPath, body });
    expectAnswer("createChatCompletion", whole, "ChatCompletion");
    expect(whole.text).toContain('"tool_calls"');
    const stream = await ask({ url, key, path: chatPath, body: { ...body, stream: true } });
    const events = stream.text.split("\n\n").filter((block) => block.startsWith("data: {"));
    for (const event of events) expectFields("ChatCompletionChunk", JSON.parse(event.slice("data: ".length)));
  });

  test("a response, whole and in events, with a hosted tool left out", async () => {
    const { key } = await openAccount();
    const path = "/api/v1/responses";
    const example = operationOf("createResponse").requestBody?.content["application/json"].examples.tools?.value as { tools: object[] };
    const body = { ...example, tools: [...example.tools, { type: "web_search" }], tool_choice: "required", input: QUESTION };
    expectAnswer("createResponse", await ask({ url, key, path, body }), "Response");
    const stream = await ask({ url, key, path, body: { ...body, stream: true } });
    expectHeaders("createResponse", stream);
    const events = [...stream.text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? "") as { response?: object });
    expect(events.length).toBeGreaterThan(3);
    for (const event of events) {
      expectFields("ResponseEvent", event);
      if (event.response) expectFields("Response", event.response);
    }
  });

  test("models, balance and quote", async () => {
    const { key } = await openAccount();
    expectAnswer("listModels", await ask({ url, path: "/api/v1/models", method: "GET" }), "ModelList");
    expectAnswer("getBalance", await ask({ url, key, path: "/api/v1/balance", method: "GET" }), "Balance");
    expectAnswer("quotePrompt", await ask({ url, key, path: "/api/v1/quote", body: promptOf() }), "Quote");
  });

  test("the terms that a wallet signs to pay for a request", async () => {
    expectAnswer("getPaymentTerms", await ask({ url, path: "/api/v1/payment-terms", method: "GET" }), "PaymentTerms");
  });

  test("events", async () => {
    const { key, accountId } = await openAccount();
    for (const [type, { example }] of Object.entries(eventTypes))
      await pool().query("SELECT events_record($1, $2, $3, now())", [accountId, type, JSON.stringify(example)]);
    await numberEvents();
    expectAnswer("listEvents", await ask({ url, key, path: "/api/v1/events", method: "GET" }), "EventList");
  });

  test("the audit log, from each kind of actor", async () => {
    const { key, accountId } = await openAccount();
    const signedIn = { kind: "session", sessionId: "ses_1", chain: "evm", address: "0xab" } as const;
    const actors: Actor[] = [signedIn, { kind: "link", endpointId: "end_1" }, { kind: "command", command: "x", user: "ops", host: "box" }];
    for (const [index, actor] of actors.entries()) {
      const origin = index === 0 ? { address: "192.0.2.7", device: "Chrome on macOS" } : null;
      await runActing({ actor, origin }, () => setLowLine(accountId, parseUsd(`${index + 1}`)));
      if (index > 0) await chainEntries();
      expectAnswer("listAudit", await ask({ url, key, path: "/api/v1/audit?limit=1", method: "GET" }), "AuditPage");
    }
  });

  test("deposits", async () => {
    const { key, accountId } = await openAccount();
    await addDeposit({ accountId, usd: "5", block: 7 });
    await addDeposit({ accountId, usd: "6", block: 7 });
    for (const query of ["", "?limit=1"]) {
      expectAnswer("listDeposits", await ask({ url, key, path: `/api/v1/deposits${query}`, method: "GET" }), "DepositPage");
    }
  });

  test("usage one by one and in groups, and a receipt while its request runs and after", async () => {
    const { key } = await openAccount();
    const { requestId } = JSON.parse((await ask({ url, key, body: promptOf() })).text) as { requestId: string };
    const get = (path: string) => ask({ url, key, path: `/api/v1/${path}`, method: "GET" });
    for (const query of ["", "?groupBy=day,model", "?groupBy=key&limit=1", "?limit=1"]) {
      expectAnswer("getUsage", await get(`usage${query}`), "UsagePage");
    }
    expectAnswer("getReceipt", await get(`requests/${requestId}`), "Receipt");
    const stream = await open({ url, key, body: misbehaving("slow=5", { stream: true }) });
    const running = await get(`requests/${stream.headers.get("x-request-id")}`);
    expect(running.text).toContain('"in_progress"');
    expectAnswer("getReceipt", running, "Receipt");
    await stream.text();
  });

  test("a request repeated while it runs is refused as described", async () => {
    const { key, accountId } = await openAccount();
    const slow = ask({ url, key, headers: { "idempotency-key": "slow" }, body: misbehaving("delay=300") });
    await until("it is held", async () => (await openHolds(accountId)) === 1);
    const again = await ask({ url, key, headers: { "idempotency-key": "slow" }, body: misbehaving("delay=300") });
    expectRefusal("createPrompt", again, "REQUEST_IN_PROGRESS");
    await slow;
  });
});

test("each bound of the usage query is the documented one", async () => {
  const { key } = await openAccount();
  const status = async (query: string) => (await ask({ url, key, path: `/api/v1/usage?${query}`, method: "GET" })).status;
  const right = ["from=2026-01-01", "from=2026-01-01T00:00:00Z&to=2026-01-02", "groupBy=day,model,key", "limit=1", "limit=1000"];
  const wrong = [
    "from=yesterday",
    "to=1",
    "groupBy=hour",
    "groupBy=day,day",
    "limit=0",
    "limit=1001",
    "cursor=x",
    "from=2025-01-01&to=2026-01-03",
  ];
  // A time range of 366 days ends at `to`.
  expect(await Promise.all(right.map((query) => status(`${query}${query.includes("to=") ? "" : "&to=2026-01-02"}`)))).toEqual(
    right.map(() => 200),
  );
  expect(await Promise.all(wrong.map(status))).toEqual(wrong.map(() => 400));
  const unknown = await ask({ url, key, path: "/api/v1/usage?page=2", method: "GET" });
  const known = operationOf("getUsage")
    .parameters?.map(({ name }) => name)
    .join(", ");
  expect(unknown.text).toContain(`known fields are ${known}`);
});

describe("refusals", () => {
  test("of an invalid request, in our own format", async () => {
    const { key } = await openAccount();
    expectRefusal("createPrompt", await ask({ url, key, body: promptOf({ max_tokens: 5 }) }), "INVALID_REQUEST");
    expectRefusal("createPrompt", await ask({ url, key, body: "{", headers: { "content-type": "application/json" } }), "INVALID_REQUEST");
    expectRefusal("createPrompt", await ask({ url, key, body: promptOf({ model: "no-such" }) }), "INVALID_MODEL");
    expectRefusal("createPrompt", await ask({ url, body: promptOf() }), "INVALID_API_KEY");
    expectRefusal("createPrompt", await ask({ url, key, body: promptOf({ payment: {} }) }), "PAYMENT_VERIFICATION_FAILED");
    expectRefusal("quotePrompt", await ask({ url, key, path: "/api/v1/quote", body: promptOf({ model: "no-such" }) }), "INVALID_MODEL");
    expectRefusal("getBalance", await ask({ url, path: "/api/v1/balance", method: "GET" }), "INVALID_API_KEY");
    expectRefusal("getUsage", await ask({ url, key, path: "/api/v1/usage?limit=0", method: "GET" }), "INVALID_REQUEST");
    expectRefusal("listDeposits", await ask({ url, key, path: "/api/v1/deposits?limit=0", method: "GET" }), "INVALID_REQUEST");
    expectRefusal("getReceipt", await ask({ url, key, path: "/api/v1/requests/req_1", method: "GET" }), "NOT_FOUND");
  });

  test("of a chat completion, in OpenAI's format", async () => {
    const { key } = await openAccount();
    const chat = (body: object, as = key) => ask({ url, key: as, path: chatPath, body });
    expectRefusal("createChatCompletion", await chat(chatOf({ n: 2 })), "INVALID_REQUEST", "ChatError");
    expectRefusal("createChatCompletion", await chat(chatOf({ model: "no-such" })), "INVALID_MODEL", "ChatError");
    expectRefusal("createChatCompletion", await chat(chatOf(), "pp_short"), "INVALID_API_KEY", "ChatError");
  });

  test("for lack of money", async () => {
    const poor = await openAccount({ usd: "0.000000001" });
    expectRefusal("createPrompt", await ask({ url, key: poor.key, body: promptOf() }), "INSUFFICIENT_BALANCE");
    expectRefusal(
      "createChatCompletion",
      await ask({ url, key: poor.key, path: chatPath, body: chatOf() }),
      "INSUFFICIENT_BALANCE",
      "ChatError",
    );
    for (const period of ["day", "total"] as const) {
      const capped = await openAccount({ key: { cap: { nanoUsd: parseUsd("0.000000001"), period } } });
      expectRefusal("createPrompt", await ask({ url, key: capped.key, body: promptOf() }), "SPEND_CAP_REACHED");
    }
  });

  test("of the limits, of a failing provider, and of a process that shuts down", async () => {
    const { key } = await openAccount({ limits: { ratePerMinute: 1, concurrency: 1 } });
    await ask({ url, key, path: "/api/v1/balance", method: "GET" });
    expectRefusal("getBalance", await ask({ url, key, path: "/api/v1/balance", method: "GET" }), "RATE_LIMIT_EXCEEDED");
    const other = await openAccount();
    expectRefusal("createPrompt", await ask({ url, key: other.key, body: misbehaving("status=500") }), "INTERNAL_ERROR");
    refuseNewRequests();
    expectRefusal("listModels", await ask({ url, path: "/api/v1/models", method: "GET" }), "SHUTTING_DOWN");
  });

  test("of a path that accepts another method: the document names all that it accepts", async () => {
    for (const [path, methods] of Object.entries(openApiDocument().paths)) {
      const answer = await ask({ url, path: path.replace(/\{\w+\}/, "req_1"), method: "DELETE" });
      expect({ path, status: answer.status }).toEqual({ path, status: 405 });
      const dialect = /\/(?:chat|responses|embeddings)/.test(path) ? "ChatError" : /\/messages/.test(path) ? "MessagesError" : undefined;
      expectFields(dialect ?? "MethodNotAllowed", JSON.parse(answer.text));
      const described = Object.keys(methods).map((method) => method.toUpperCase());
      expect(answer.headers.get("allow")).toBe(described.join(", "));
    }
    const nowhere = await ask({ url, path: "/api/v1/nowhere", method: "GET" });
    expectFields("NotFound", JSON.parse(nowhere.text));
  });
});

test("GET /api/v1/openapi.json is the document", async () => {
  const answer = await ask({ url, path: "/api/v1/openapi.json", method: "GET" });
  expect(answer.status).toBe(200);
  expectHeaders("getOpenApi", answer);
  expect(JSON.parse(answer.text)).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});
