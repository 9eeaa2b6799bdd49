// The running service against its document: each answer, as its writer wrote it, has exactly the described fields and headers.

import { describe, expect, test } from "vitest";
import { chainEntries } from "@/lib/audit/chain";
import { parseUsd } from "@/lib/base/money";
import { type Actor, runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { eventTypes } from "@/lib/events/catalogue";
import { numberEvents } from "@/lib/events/outbox";
import { setLowLine } from "@/lib/ledger/accounts";
import { addDeposit } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { openAccount } from "../contract/testing/accounts";
import { type Answer, ask, misbehaving, open, promptOf, QUESTION, readEvents } from "../contract/testing/client";
import { openPayments, proofHeader } from "../contract/testing/payments";
import { openService } from "../contract/testing/service";
import { openApiDocument } from "./document";
import { allOperations, expectFields, expectHeaders, operationOf } from "./testing/described";

const service = await openService();
const payments = await openPayments();
const url = service.url("node");

/** The operations whose answers were compared. */
const compared = new Set<string>();

function expectAnswer(operationId: string, answer: Answer, schema: string): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expectHeaders(operationId, answer);
  expectFields(schema, JSON.parse(answer.text));
  compared.add(operationId);
}

/** The events of a stream but `[DONE]`, each compared with the schema that `schemaOf` chooses. */
function expectEvents(operationId: string, stream: Answer, schemaOf: (event: string | undefined) => string): Record<string, unknown>[] {
  expect({ status: stream.status, text: stream.text }).toMatchObject({ status: 200 });
  expectHeaders(operationId, stream);
  const events = [...stream.text.matchAll(/^(?:event: (.*)\n)?data: (\{.*)$/gm)].map(([, event, json = ""]) => {
    const body = JSON.parse(json) as Record<string, unknown>;
    expectFields(schemaOf(event), body);
    return body;
  });
  expect(events.length).toBeGreaterThan(3);
  return events;
}

/** The examples of the document with tools. */
const withTools = (operationId: string) =>
  operationOf(operationId).requestBody?.content["application/json"].examples.tools?.value as { tools: object[] };

const messages = [{ role: "user", content: QUESTION }];
const fullWindow = 16_000;

interface Dialect {
  operationId: string;
  path: string;
  schema: string;
  eventSchema: (event: string | undefined) => string;
  body: object;
  /** Asks for the most output that the model has, with which a poor account's prompt is clipped. */
  long: object;
}

const dialects: readonly Dialect[] = [
  {
    operationId: "createPrompt",
    path: "/api/v1/prompt",
    schema: "PromptAnswer",
    eventSchema: (event) => (event === "delta" ? "PromptDelta" : "PromptAnswer"),
    body: promptOf(),
    long: { maxTokens: fullWindow },
  },
  {
    operationId: "createChatCompletion",
    path: "/api/v1/chat/completions",
    schema: "ChatCompletion",
    eventSchema: () => "ChatCompletionChunk",
    body: { model: "gpt-4o-mini", messages, stream_options: { include_usage: true } },
    long: { max_completion_tokens: fullWindow },
  },
  {
    operationId: "createResponse",
    path: "/api/v1/responses",
    schema: "Response",
    eventSchema: () => "ResponseEvent",
    body: { model: "gpt-4o-mini", input: QUESTION },
    long: { max_output_tokens: fullWindow },
  },
  {
    operationId: "createMessage",
    path: "/api/v1/messages",
    schema: "Message",
    eventSchema: () => "MessageEvent",
    body: { model: "gpt-4o-mini", max_tokens: 50, messages },
    long: { max_tokens: fullWindow },
  },
];

describe.each(dialects)("$operationId", ({ operationId, path, schema, eventSchema, body, long }) => {
  test("an answer, whole, replayed and as a stream", async () => {
    const { key } = await openAccount();
    const headers = { "idempotency-key": "one" };
    expectAnswer(operationId, await ask({ url, key, path, headers, body }), schema);
    const again = await ask({ url, key, path, headers, body });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expectAnswer(operationId, again, schema);
    for (const event of expectEvents(operationId, await ask({ url, key, path, body: { ...body, stream: true } }), eventSchema))
      if (event.response) expectFields(schema, event.response);
  });

  test("an answer that a signed payment paid, and one whose output was clipped", async () => {
    const { key } = await openAccount();
    const payer = await payments.newPayer();
    const poor = await openAccount({ usd: "0.001" });
    for (const stream of [false, true]) {
      const proof = proofHeader(await payments.signPayment(payer));
      const paid = await ask({ url, key, path, headers: proof, body: { ...body, stream } });
      const clip = { "x-clip-to-balance": "true" };
      const clipped = await ask({ url, key: poor.key, path, headers: clip, body: { ...body, ...long, stream } });
      expect(paid.text).toContain('"changeBelongsTo":"address"');
      expect(clipped.text).toContain('"clippedTo":');
      for (const answer of [paid, clipped]) {
        if (stream) expectEvents(operationId, answer, eventSchema);
        else expectAnswer(operationId, answer, schema);
      }
      const receipt = await ask({ url, key, path: `/api/v1/requests/${paid.headers.get("x-request-id")}`, method: "GET" });
      expectAnswer("getReceipt", receipt, "Receipt");
      expect(receipt.text).toContain('"scheme":"proof"');
    }
  });
});

describe.each(dialects.slice(1))("$operationId", ({ operationId, path, schema, eventSchema, body }) => {
  test("an answer that calls a function", async () => {
    const { key } = await openAccount();
    const required = operationId === "createMessage" ? { type: "any" } : "required";
    const asked = { ...withTools(operationId), ...body, tool_choice: required };
    const whole = await ask({ url, key, path, body: asked });
    expectAnswer(operationId, whole, schema);
    expect(whole.text).toMatch(/"(tool_calls|function_call|tool_use)"/);
    for (const event of expectEvents(operationId, await ask({ url, key, path, body: { ...asked, stream: true } }), eventSchema))
      if (event.response) expectFields(schema, event.response);
  });
});

describe("answers", () => {
  test("a stream that its provider broke off ends with the described error", async () => {
    const { key } = await openAccount();
    const { text } = await ask({ url, key, body: misbehaving("close-midway", { stream: true }) });
    const last = readEvents(text).at(-1);
    expect(last?.event).toBe("error");
    expectFields("InternalError", JSON.parse(last?.data ?? ""));
    expect(last?.data).toContain('"cost"');
  });

  test("a response with a hosted tool left out", async () => {
    const { key } = await openAccount();
    const { tools } = withTools("createResponse");
    const body = { model: "gpt-4o-mini", input: QUESTION, tools: [...tools, { type: "web_search" }] };
    const answer = await ask({ url, key, path: "/api/v1/responses", body });
    expect(answer.headers.get("x-dropped-tools")).toBe("web_search");
    expectAnswer("createResponse", answer, "Response");
  });

  test("embeddings, as numbers and as bytes", async () => {
    const { key } = await openAccount();
    for (const encoding_format of ["float", "base64"]) {
      const body = { model: "text-embedding-3-small", input: ["one", "two"], encoding_format };
      expectAnswer("createEmbeddings", await ask({ url, key, path: "/api/v1/embeddings", body }), "EmbeddingList");
    }
  });

  test("a count of a message's tokens, by its provider and estimated", async () => {
    const { key } = await openAccount();
    for (const [model, isEstimated] of [
      ["claude-haiku-4-5", false],
      ["gpt-4o-mini", true],
    ] as const) {
      const counted = await ask({ url, key, path: "/api/v1/messages/count_tokens", body: { model, messages } });
      expectAnswer("countMessageTokens", counted, "TokenCount");
      expect(counted.text.includes('"estimated":true')).toBe(isEstimated);
    }
  });

  test("models, balance and quote", async () => {
    const { key } = await openAccount();
    expectAnswer("getModel", await ask({ url, path: "/api/v1/models/gpt-4o-mini", method: "GET" }), "Model");
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
});

test("GET /api/v1/openapi.json is the document", async () => {
  const answer = await ask({ url, path: "/api/v1/openapi.json", method: "GET" });
  expect(answer.status).toBe(200);
  expectHeaders("getOpenApi", answer);
  compared.add("getOpenApi");
  expect(JSON.parse(answer.text)).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

/** Its answer is compared in lib/gateway/contract/x402.test.ts, on a chain with x402. */
const comparedElsewhere = ["createX402Prompt"];

test("the answers of all other operations were compared here", () => {
  const operations = allOperations().map(({ operationId }) => operationId);
  expect(operations.filter((operationId) => !compared.has(operationId))).toEqual(comparedElsewhere);
});
