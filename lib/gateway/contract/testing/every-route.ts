// Every route of the service, and what it is: sold for a key's money, sold otherwise, or free. A route that stands here nowhere fails
// every-route.test.ts, which proves of each what its kind promises.

import { expect } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { listRoutes } from "@/lib/gateway/http/router";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { playgroundPaths } from "@/lib/server/playground";
import { type Answer, ask, modelOf, QUESTION } from "./client";
import { COUNTED } from "./counted-provider";
import type { Service } from "./service";

const MODEL = "gpt-4o-mini";
const EMBEDDING_MODEL = "text-embedding-3-small";
const messagesOf = (content: string) => [{ role: "user", content }];

/** The form of an endpoint's errors. */
type ErrorForm = "ours" | "openai" | "anthropic";

interface SoldRoute {
  errors: ErrorForm;
  /** The body of a request for this text, without `stream`. */
  bodyOf: (text: string) => object & { model: string };
}

/** Sold to whoever has a key, for its account's balance. Routes whose operation may answer a stream are tried as one, too. */
export const soldForKey: Record<string, SoldRoute> = {
  "POST /api/v1/prompt": { errors: "ours", bodyOf: (prompt) => ({ model: MODEL, prompt, maxTokens: 50 }) },
  "POST /api/v1/chat/completions": { errors: "openai", bodyOf: (text) => ({ model: MODEL, messages: messagesOf(text), max_tokens: 50 }) },
  "POST /api/v1/messages": { errors: "anthropic", bodyOf: (text) => ({ model: MODEL, messages: messagesOf(text), max_tokens: 50 }) },
  "POST /api/v1/responses": { errors: "openai", bodyOf: (input) => ({ model: MODEL, input, max_output_tokens: 50 }) },
  "POST /api/v1/embeddings": { errors: "openai", bodyOf: (input) => ({ model: EMBEDDING_MODEL, input }) },
};

/** Sold without a key; each has proofs of its own in every-route.test.ts. */
export const soldOtherwise = ["POST /api/v1/x402/prompt", "POST /playground/answer"];

interface FreeRoute {
  /** What follows the path: a query, or an id in place of `{id}`. */
  rest?: (known: { requestId: string }) => string;
  body?: object;
}

/** Neither calls a provider that bills for it, nor charges. */
export const freeRoutes: Record<string, FreeRoute> = {
  "GET /api/v1/models": {},
  "GET /api/v1/models/{id}": { rest: () => MODEL },
  "GET /api/v1/balance": {},
  "GET /api/v1/usage": {},
  "GET /api/v1/deposits": {},
  "GET /api/v1/events": {},
  "GET /api/v1/audit": {},
  "GET /api/v1/requests/{id}": { rest: ({ requestId }) => requestId },
  "POST /api/v1/quote": { body: { model: MODEL, prompt: "How much?" } },
  // Claude's is relayed to Anthropic, which counts for nothing.
  "POST /api/v1/messages/count_tokens": { body: { model: "claude-haiku-4-5", messages: messagesOf("How many?") } },
  "GET /api/v1/payment-terms": {},
  "GET /api/v1/openapi.json": {},
  "GET /.well-known/x402": {},
  "GET /api/health": {},
  "GET /api/ready": {},
  "GET /api/metrics": {},
  "POST /playground/quote": { body: { model: MODEL, prompt: "How much?" } },
};

/** What this table lacks, or has too many of; each says what to do. */
export function findUndeclared(): string[] {
  const routes = [...listRoutes(), ...[...playgroundPaths].map((path) => `POST ${path}`)];
  const declared = [...Object.keys(soldForKey), ...soldOtherwise, ...Object.keys(freeRoutes)];
  const isStreamed = (route: string) => streamedByDocument(route);
  return [
    ...routes
      .filter((route) => !declared.includes(route))
      .map(
        (route) =>
          `${route} is in no list of contract/testing/every-route.ts. If it charges or calls a provider, add it to soldForKey with a body, ` +
          "so that limits, scopes, caps, holds, idempotency and receipts are proved of it; otherwise to freeRoutes.",
      ),
    ...declared
      .filter((route) => !routes.includes(route))
      .map((route) => `${route} is in contract/testing/every-route.ts, and no route of the service: delete it there.`),
    ...Object.keys(soldForKey)
      .filter((route) => isStreamed(route) === undefined)
      .map((route) => `${route} is sold, and the OpenAPI document lacks it: describe it, so that it is known whether it streams.`),
    ...declared
      .filter((route, at) => declared.indexOf(route) !== at)
      .map((route) => `${route} stands twice in contract/testing/every-route.ts: it is sold or free, never both.`),
  ];
}

/** Whether a route's 200 may be a stream; undefined when it is not documented. */
function streamedByDocument(route: string): boolean | undefined {
  const [method = "", path = ""] = route.split(" ");
  const operation = Object.entries(openApiDocument().paths[path] ?? {}).find(([name]) => name === method.toLowerCase())?.[1];
  return operation && "text/event-stream" in (operation.responses["200"]?.content ?? {});
}

/** A way to buy one answer, of one route, whole or as a stream. */
export interface Sale {
  name: string;
  path: string;
  errors: ErrorForm;
  stream: boolean;
  bodyOf: (text: string) => object;
  /** What the provider's count costs, nano-USD. */
  cost: bigint;
}

/** Every sale for a key, from the routes. */
export const salesForKey = (): Sale[] =>
  Object.entries(soldForKey).flatMap(([route, { errors, bodyOf }]) => {
    const { prices, type } = modelOf(bodyOf("").model);
    const [{ input, output }] = prices;
    const cost = BigInt(COUNTED.input) * input + (type === "embedding" ? 0n : BigInt(COUNTED.output) * output);
    const path = route.split(" ")[1] ?? "";
    const sale = (stream: boolean): Sale => ({
      name: `${route}${stream ? ", streamed" : ""}`,
      ...{ path, errors, stream, cost },
      bodyOf: (text) => (stream ? { ...bodyOf(text), stream } : bodyOf(text)),
    });
    return streamedByDocument(route) ? [sale(false), sale(true)] : [sale(false)];
  });

interface Buying {
  key?: string;
  text?: string;
  headers?: Record<string, string>;
}

export const buyAt =
  (service: Service) =>
  ({ path, bodyOf }: Sale, { key, text = QUESTION, headers = {} }: Buying): Promise<Answer> =>
    ask({ url: service.url("node"), path, key, headers, body: bodyOf(text) });

interface Refusal {
  status: number;
  code: string;
  details: Record<string, unknown>;
}

/** The refusal of an answer, after checking that it has the form that the route's clients read. */
export function readRefusal({ errors }: Pick<Sale, "errors">, { status, text, headers }: Answer): Refusal {
  const body = JSON.parse(text) as Record<string, unknown>;
  const inner = (errors === "ours" ? body : body.error) as Record<string, unknown> | undefined;
  const keys = {
    ours: { outer: ["error", "code", "details", "requestId"], inner: ["error", "code", "details", "requestId"] },
    openai: { outer: ["error"], inner: ["message", "type", "param", "code", "details", "requestId"] },
    anthropic: { outer: ["type", "error", "request_id"], inner: ["type", "message", "code", "details"] },
  }[errors];
  expect({ outer: Object.keys(body), inner: Object.keys(inner ?? {}), status }, text.slice(0, 500)).toEqual({
    ...keys,
    status: expect.any(Number),
  });
  const requestId = { ours: body.requestId, openai: inner?.requestId, anthropic: body.request_id }[errors];
  expect(requestId).toBe(headers.get("x-request-id"));
  return { status, code: String(inner?.code), details: inner?.details as Record<string, unknown> };
}

/** What is held for an account now: the ceiling of each hold, nano-USD. */
export async function heldFor(accountId: AccountId): Promise<bigint[]> {
  const { rows } = await pool().query<{ ceiling: bigint }>("SELECT ceiling FROM hold WHERE account_id = $1", [accountId]);
  return rows.map(({ ceiling }) => ceiling);
}

/** What a key, or an account without one, has spent in its periods, nano-USD. */
export async function spentBy(keyId: string): Promise<bigint> {
  const { rows } = await pool().query<{ spent: bigint }>("SELECT spent FROM key_spend WHERE key_id = $1", [keyId]);
  return rows.reduce((sum, { spent }) => sum + spent, 0n);
}
