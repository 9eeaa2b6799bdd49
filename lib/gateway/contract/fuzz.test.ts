// Requests generated from the OpenAPI document, valid and nearly valid, thousands of them, through both HTTP servers: the document
// describes every answer, and nothing stays held. `LONG=1` sends ten times as many, from a random seed.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "@/lib/base/errors";
import { errorSchemaName } from "../openapi/errors";
import { namedSchemas } from "../openapi/schemas";
import type { OpenApiDocument, Operation } from "../openapi/types";
import { openAccount } from "./testing/accounts";
import { expectPaid } from "./testing/books";
import { type Answer, ask, expectCommonHeaders, open, promptOf, readPromptBody } from "./testing/client";
import { type OddRequest, requestsOf } from "./testing/odd-requests";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const isLong = process.env.LONG === "1";
const requests = { node: isLong ? 10_000 : 250, next: isLong ? 3_000 : 250 };
/** Printed by fast-check when a run fails. */
const seed = isLong ? undefined : 20_261_123;
const timeout = isLong ? 1_800_000 : 120_000;

async function send(url: string, { method, target, headers, body }: OddRequest): Promise<Answer> {
  const response = await open({ url, path: target, method, headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const operationsOf = ({ paths }: OpenApiDocument): Operation[] => Object.values(paths).flatMap((methods) => Object.values(methods));

/** The document describes the answer; other tests check what it means. */
function expectDescribed({ operationId, method }: OddRequest, answer: Answer, document: OpenApiDocument): void {
  const { status, headers, text } = answer;
  expect(headers.get("x-request-id")).toMatch(/^req_[0-9A-Za-z]{20}$/);
  expectCommonHeaders(headers, headers.get("x-request-id") ?? "");
  const operation = operationsOf(document).find((one) => one.operationId === operationId);
  // 400: a path that is not in normal form, before anything reads it. HEAD is answered like a GET, which the document has alone.
  const ofNone = [
    "400",
    "404",
    "405",
    ...(method === "HEAD" ? ["200", "401", "403", "429"] : []),
    ...(method === "OPTIONS" ? ["204"] : []),
  ];
  expect(operation ? Object.keys(operation.responses) : ofNone).toContain(`${status}`);
  if (method === "HEAD" || status === 204) expect(text).toBe("");
  else if (status !== 200) expectError(text, status, operation ? formOf[operationId ?? ""] : formOfPath(text));
  else if (headers.get("content-type") === "text/event-stream; charset=utf-8") expectStream(text);
  else expect(JSON.parse(text)).toBeInstanceOf(Object);
}

/** The schema of an operation's errors, where it is not our own. */
const formOf: Record<string, string> = {
  createChatCompletion: "ChatError",
  createResponse: "ChatError",
  createEmbeddings: "ChatError",
  createMessage: "MessagesError",
  countMessageTokens: "MessagesError",
};

/** A path without an operation answers in the form that its clients read. */
function formOfPath(text: string): string | undefined {
  const { type, error } = JSON.parse(text) as { type?: string; error: unknown };
  if (type === "error") return "MessagesError";
  return typeof error === "object" ? "ChatError" : undefined;
}

interface OwnError {
  code: ErrorCode;
  details: { reason?: string };
}

function expectError(text: string, status: number, form: string | undefined): void {
  const body = JSON.parse(text) as OwnError & { error: OwnError };
  const { code, details } = form ? body.error : body;
  const schema = namedSchemas[form ?? errorSchemaName(code)];
  expect(schema?.parse(body)).toEqual(body);
  expect(text).not.toMatch(/\n\s+at |node_modules|lib\/gateway|\.ts:\d/);
  if (status >= 500) expect(details.reason).toMatch(/^provider_/);
}

/** How a complete stream ends, in our own format and in those of OpenAI and Anthropic. */
const lastEvent = /(?:event: (?:done|message_stop|response\.(?:completed|incomplete))\ndata: [^\n]+|data: \[DONE\])\n\n$/;
const expectStream = (text: string): void => expect(text).toMatch(lastEvent);

describe.each(entryNames)("through the %s server", (entry) => {
  test(`${requests[entry]} requests are each answered as the document says, and the books add up`, { timeout }, async () => {
    const url = service.url(entry);
    const account = await openAccount({ usd: "100000", limits: { ratePerMinute: 10_000_000, concurrency: 100 } });
    const { key } = account;
    const read = async (path: string) => JSON.parse((await ask({ url, path, method: "GET" })).text) as unknown;
    const document = (await read("/api/v1/openapi.json")) as OpenApiDocument;
    const models = ((await read("/api/v1/models")) as { data: { id: string }[] }).data.map(({ id }) => id);
    const { requestId } = readPromptBody((await ask({ url, key, body: promptOf() })).text);
    const served = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(requestsOf(document, { key, models, requestId }), async (request) => {
        const answer = await send(url, request);
        expectDescribed(request, answer, document);
        // No client here has a wallet, so that operation's only success is to request a payment.
        const isServed = answer.status === 200 || (answer.status === 402 && request.operationId === "createX402Prompt");
        const name = isServed ? (request.operationId ?? "") : `${answer.status}`;
        served.set(name, (served.get(name) ?? 0) + 1);
      }),
      { numRuns: requests[entry], seed, interruptAfterTimeLimit: timeout - 10_000, markInterruptAsFailure: true },
    );
    // Not everything was refused: each operation has also succeeded.
    for (const { operationId } of operationsOf(document)) expect(served.get(operationId) ?? 0, operationId).toBeGreaterThan(0);
    await expectPaid(account);
  });
});
