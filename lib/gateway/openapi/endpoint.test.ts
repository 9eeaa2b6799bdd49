// The document alone: it is consistent, leaves nothing undescribed, and its examples match its schemas.

import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { config } from "@/lib/base/config";
import { errorCatalogue } from "@/lib/base/errors";
import { readEndpoints, setEndpoints } from "@/lib/providers/endpoints";
import { openRequest } from "../http/request";
import { openApiDocument } from "./document";
import { openapi } from "./endpoint";
import { countNotes, messagesNotes } from "./messages-notes";
import { chatNotes, promptNotes, responseNotes } from "./request-notes";
import { fieldsOf } from "./schemas";
import type { JsonSchema, MediaType, OpenApiDocument, Operation } from "./types";

let document: OpenApiDocument;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(() => {
  const nowhere = "http://127.0.0.1:1";
  const urls = { openai: nowhere, anthropic: nowhere, gemini: nowhere, xai: nowhere, deepseek: nowhere };
  setEndpoints(readEndpoints(config(), urls, "no-key"));
  document = openApiDocument();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});

/** The schema with its $refs inlined. */
function inlined(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (_, value: unknown) => {
    const ref = typeof value === "object" && value !== null && "$ref" in value ? String(value.$ref) : null;
    return ref ? document.components.schemas[ref.replace("#/components/schemas/", "")] : value;
  });
  return JSON.parse(text) as JsonSchema;
}

function problemsOf(schema: JsonSchema, value: unknown): unknown[] {
  const { discriminator: _, ...plain } = inlined(schema);
  const checked = z.fromJSONSchema(plain as z.core.JSONSchema.JSONSchema).safeParse(value);
  return checked.success ? [] : checked.error.issues;
}

const mediaOf = ({ operation }: { operation: Operation }): { type: string; media: MediaType }[] =>
  [operation.requestBody?.content ?? {}, ...Object.values(operation.responses).map(({ content }) => content)].flatMap((content) =>
    Object.entries(content).map(([type, media]) => ({ type, media })),
  );

test("operation ids are those that generated clients already use", () => {
  expect(operations.map(({ method, path, operation }) => `${method} ${path} ${operation.operationId}`)).toEqual([
    "post /api/v1/prompt createPrompt",
    "post /api/v1/chat/completions createChatCompletion",
    "post /api/v1/responses createResponse",
    "post /api/v1/embeddings createEmbeddings",
    "post /api/v1/x402/prompt createX402Prompt",
    "post /api/v1/quote quotePrompt",
    "get /api/v1/balance getBalance",
    "get /api/v1/usage getUsage",
    "get /api/v1/deposits listDeposits",
    "get /api/v1/events listEvents",
    "get /api/v1/audit listAudit",
    "post /api/v1/messages createMessage",
    "post /api/v1/messages/count_tokens countMessageTokens",
    "get /api/v1/requests/{requestId} getReceipt",
    "get /api/v1/models listModels",
    "get /api/v1/models/{model} getModel",
    "get /api/v1/payment-terms getPaymentTerms",
    "get /api/v1/openapi.json getOpenApi",
  ]);
});

test("every reference resolves, and every named schema and header is referenced", () => {
  const refs = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(([, kind, name]) => `${kind}/${name}`);
  const named = (["schemas", "headers"] as const).flatMap((kind) =>
    Object.keys(document.components[kind]).map((name) => `${kind}/${name}`),
  );
  expect(refs.filter((ref) => !named.includes(ref))).toEqual([]);
  // Listed for readers of events, which OpenAPI 3.1 cannot reference; for answers that every path shares; and for an error that is sent in
  // OpenAI's form only.
  const spokenOf = [
    "schemas/MessageEvent",
    "schemas/PromptDelta",
    "schemas/ChatCompletionChunk",
    "schemas/ResponseEvent",
    "schemas/MethodNotAllowed",
    "schemas/ServiceBusy",
    "headers/Allow",
  ];
  expect(named.filter((name) => !refs.includes(name))).toEqual(spokenOf);
});

test("an operation with a key may return 200, 400, 401, 403, 404, 429, 500 and 503; one that costs money also 402 and 409", () => {
  for (const { operation } of operations) {
    const statuses = Object.keys(operation.responses);
    const keyed = operation.security.length > 0;
    expect(statuses, operation.operationId).toEqual(
      expect.arrayContaining(keyed ? ["200", "400", "401", "403", "404", "429", "500", "503"] : ["200", "500", "503"]),
    );
    const costs = [
      "createPrompt",
      "createChatCompletion",
      "createMessage",
      "createResponse",
      "createEmbeddings",
      "createX402Prompt",
    ].includes(operation.operationId);
    expect(statuses.includes("409"), operation.operationId).toBe(costs);
    if (costs) expect(statuses).toContain("402");
  }
});

test("every code of the catalogue has a schema, and all but METHOD_NOT_ALLOWED an example under their own status", () => {
  const found = new Map<string, Set<string>>();
  // Anthropic's form has statuses of its own.
  for (const { operation } of operations.filter(({ path }) => !path.startsWith("/api/v1/messages"))) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      if (status === "200") continue;
      for (const code of Object.keys(content["application/json"]?.examples ?? {})) {
        found.set(code, (found.get(code) ?? new Set()).add(status));
      }
    }
  }
  const wanted = Object.entries(errorCatalogue).map(([code, { status }]) => [code, new Set([`${status}`])] as const);
  expect(found).toEqual(new Map(wanted.filter(([code]) => code !== "METHOD_NOT_ALLOWED")));
  const codes = Object.values(document.components.schemas).map(({ properties }) => properties?.code?.const);
  expect(codes.filter((code) => code !== undefined)).toEqual(Object.keys(errorCatalogue));
});

test("every example matches its schema", () => {
  let examples = 0;
  for (const item of operations) {
    for (const { type, media } of mediaOf(item)) {
      for (const [name, { value }] of Object.entries(media.examples)) {
        examples += 1;
        expect(problemsOf(media.schema, value), `${item.operation.operationId} ${type} ${name}`).toEqual([]);
      }
    }
    for (const { name, schema, example } of item.operation.parameters ?? []) {
      if (example !== undefined) expect(problemsOf(schema, example), name).toEqual([]);
    }
  }
  expect(examples).toBeGreaterThan(60);
});

test("an example with a wrong field would be found", () => {
  const { schema, examples } = operations[0]?.operation.requestBody?.content["application/json"] ?? { schema: {}, examples: {} };
  const right = examples.prompt?.value as object;
  expect(problemsOf(schema, right)).toEqual([]);
  expect(problemsOf(schema, { ...right, max_tokens: 5 })).not.toEqual([]);
  expect(problemsOf(schema, { ...right, maxTokens: "5" })).not.toEqual([]);
});

test("every event of a stream's example matches the event schemas", () => {
  const streams = operations.flatMap((item) => mediaOf(item).filter(({ type }) => type === "text/event-stream"));
  expect(streams).toHaveLength(5);
  const schemaOf = (event: string | undefined, body: object): string => {
    if (event?.startsWith("response.")) return "ResponseEvent";
    if ("type" in body) return "MessageEvent";
    if (event === "delta") return "PromptDelta";
    if (event === "done") return "PromptAnswer";
    if (event === "error") return "InternalError";
    return "error" in body ? "ChatError" : "ChatCompletionChunk";
  };
  for (const { value } of streams.flatMap(({ media }) => Object.values(media.examples))) {
    const blocks = String(value).split("\n\n").filter(Boolean);
    expect(blocks.length).toBeGreaterThanOrEqual(2);
    for (const block of blocks) {
      const [, event, json = ""] = /^(?:event: ([\w.]+)\n)?data: (.*)$/.exec(block) ?? [];
      if (json === "[DONE]") continue;
      const body = JSON.parse(json) as object;
      expect(problemsOf({ $ref: `#/components/schemas/${schemaOf(event, body)}` }, body), block).toEqual([]);
    }
  }
});

describe("nothing is left undescribed", () => {
  const schemaOf = (name: string): JsonSchema => document.components.schemas[name] ?? {};

  test.each([
    ["MessagesBody", messagesNotes],
    ["CountBody", countNotes],
    ["PromptBody", promptNotes],
    ["ChatBody", chatNotes],
    ["ResponseBody", responseNotes],
  ])("each sentence on %s describes an existing field, and each of its own fields has one", (name, notes) => {
    const fields = fieldsOf(schemaOf(name));
    expect(Object.keys(notes).filter((path) => !fields.has(path))).toEqual([]);
    expect([...fields.keys()].filter((path) => !/[.[]/.test(path) && !(path in notes))).toEqual([]);
  });

  test("each field of an answer and of an error's details has a sentence", () => {
    for (const name of Object.keys(document.components.schemas)) {
      if (name.endsWith("Body")) continue;
      const bare = [...fieldsOf(inlined(schemaOf(name)))].filter(([, found]) => found.some(({ description }) => !description));
      expect(
        bare.map(([path]) => path),
        name,
      ).toEqual([]);
    }
  });

  test("an old field that is known only to be refused is not documented", () => {
    const { properties = {} } = schemaOf("ChatBody");
    expect(properties).not.toHaveProperty("functions");
    expect(properties).toHaveProperty("tools");
    expect(JSON.stringify(properties)).not.toContain("input_audio");
  });

  test("every code documents when it happens", () => {
    for (const { when } of Object.values(errorCatalogue)) expect(when).toMatch(/\.$/);
  });
});

test("it is sent as JSON that a proxy may cache, the same text to every caller", async () => {
  const { signal } = new AbortController();
  const ask = () =>
    openapi(
      openRequest({ method: "GET", path: "/", query: "", headers: {}, readBody: () => ({ text: "" }), remoteAddress: "127.0.0.1", signal }),
    );
  const reply = await ask();
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({ "content-type": "application/json; charset=utf-8", "cache-control": "public, max-age=300" });
  expect(JSON.parse(String(reply.body))).toEqual(JSON.parse(JSON.stringify(document)));
  expect((await ask()).body).toBe(reply.body);
});
