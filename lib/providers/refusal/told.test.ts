// What of a refusal is told to the caller, by wire format: the provider's words where the request is at fault, and nothing of it else.

import { expect, test } from "vitest";
import { anthropicFormat } from "../anthropic";
import { hideEndpoint } from "../attempt";
import { callProvider, callProviderWhole } from "../call";
import { type Endpoint, endpointAt } from "../endpoints";
import { geminiFormat } from "../gemini";
import { openaiFormat } from "../openai";
import { responsesFormat } from "../openai-responses";
import { limits, modelAt, readCall } from "../testing/call-kit";
import { startProvider } from "../testing/provider-server";
import { inPieces } from "../testing/replay";
import { closeProviderPools } from "../transport";
import { isProviderFailure, ProviderFailure, type WireFormat } from "../types";

const refused = (format: WireFormat, status: number, body: object | string) =>
  format.readError(status, {}, typeof body === "string" ? body : JSON.stringify(body));

test.each<[what: string, format: WireFormat, status: number, body: object, told: string]>([
  [
    "Anthropic",
    anthropicFormat,
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).",
      },
      request_id: "req_011CSHoEeqs5C35K2UUqR7Fy",
    },
    "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 ([url]).",
  ],
  [
    "OpenAI",
    openaiFormat,
    400,
    {
      error: {
        message: "Invalid schema for function 'f': None is not of type 'array'.",
        type: "invalid_request_error",
        param: "tools[0].function.parameters",
        code: "invalid_function_parameters",
      },
    },
    "Invalid schema for function 'f': None is not of type 'array'.",
  ],
  [
    "Gemini",
    geminiFormat,
    400,
    { error: { code: 400, message: "Unable to process input image.", status: "INVALID_ARGUMENT" } },
    "Unable to process input image.",
  ],
  [
    "OpenRouter, the words of the provider behind it",
    openaiFormat,
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: JSON.stringify({
            type: "error",
            error: { type: "invalid_request_error", message: "messages: at least one message is required" },
          }),
          provider_name: "Anthropic",
        },
      },
    },
    "messages: at least one message is required",
  ],
  [
    "FastAPI",
    openaiFormat,
    422,
    { detail: [{ type: "missing", loc: ["body", "messages", 0, "role"], msg: "Field required" }] },
    "messages.0.role: Field required",
  ],
  [
    "Mistral",
    openaiFormat,
    422,
    {
      object: "error",
      message: { detail: [{ loc: ["body", "temperature"], msg: "Input should be less than or equal to 1.5" }] },
      type: "invalid_request_error",
    },
    "temperature: Input should be less than or equal to 1.5",
  ],
])("%s: its words", (_what, format, status, body, told) => {
  expect(refused(format, status, body)).toMatchObject({ kind: "rejected", told, overflow: undefined });
});

test.each<[what: string, status: number, body: object | string]>([
  ["a page of a proxy", 400, "<html><h1>Bad Request</h1> nginx at 10.0.0.1</html>"],
  ["JSON of an unknown form", 400, { prompt: "a secret" }],
  ["a wrong key", 401, { error: { message: "Incorrect API key provided: sk-proj-abcdefghijk" } }],
  ["a failure of its own", 500, { error: { message: "Traceback in /srv/acme/server.py" } }],
])("%s is not told", (_what, status, body) => {
  expect(refused(openaiFormat, status, body).told).toBeUndefined();
});

test("OpenRouter's wrapped overflow is one, with its numbers", () => {
  const raw = JSON.stringify({ error: { message: "prompt is too long: 210000 tokens > 200000 maximum" } });
  const failure = refused(openaiFormat, 400, { error: { message: "Provider returned error", code: 400, metadata: { raw } } });
  expect(failure).toMatchObject({ kind: "rejected", overflow: { unit: "tokens", given: 210_000, limit: 200_000 } });
});

test("a 413 is a request that is too large as a whole, whoever sends it", () => {
  const body = { type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } };
  expect(refused(anthropicFormat, 413, body)).toMatchObject({ kind: "rejected", overflow: { unit: "bytes" } });
  expect(refused(openaiFormat, 413, "<html>413 Request Entity Too Large</html>")).toMatchObject({ overflow: { unit: "bytes" } });
});

test("a server that says it with 500 says it all the same: no other try can help", () => {
  expect(refused(openaiFormat, 500, { error: { message: "the request exceeds the available context size" } })).toMatchObject({
    kind: "rejected",
    overflow: { unit: "tokens" },
  });
});

test.each([
  [
    "response.failed",
    {
      type: "response.failed",
      sequence_number: 1,
      response: {
        id: "resp_1",
        status: "failed",
        error: {
          code: "context_length_exceeded",
          message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        },
        output: [],
      },
    },
  ],
  [
    "error",
    {
      type: "error",
      sequence_number: 1,
      code: "context_length_exceeded",
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
      param: "input",
    },
  ],
  [
    "error",
    {
      type: "error",
      sequence_number: 1,
      error: {
        type: "invalid_request_error",
        code: "context_length_exceeded",
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        param: "input",
      },
    },
  ],
])("OpenAI's Responses say it inside a stream: %s (%#)", async (event, data) => {
  const bytes = Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const read = async () => {
    for await (const _event of responsesFormat.readStream(inPieces(bytes))) expect.unreachable();
  };
  const failure = await read().catch((error: unknown) => error);
  expect(isProviderFailure(failure) && failure).toMatchObject({ kind: "rejected", overflow: { unit: "tokens" } });
});

test("the host that a request went to is not told, in capitals or without its port either", () => {
  const failure = new ProviderFailure("rejected", "", { told: "llm.corp.xyz: no route from LLM.corp.xyz:8443, see model llm.corp.xyz2" });
  const endpoint = { apiKey: "", origin: "https://llm.corp.xyz:8443" } as Endpoint;
  expect(hideEndpoint(failure, endpoint).told).toBe("[host]: no route from [host], see model llm.corp.xyz2");
});

test.each([false, true])("our key is hidden before a refusal is cut: no half of it stays (stream: %s)", async (stream) => {
  // Of a form that no provider's keys have, so that nothing else knows it for a key.
  const apiKey = "correct horse battery staple of ours";
  // Wherever the cut may be.
  const message = `${`Bad request of ${apiKey}: `.repeat(200)}end`;
  const host = await startProvider((response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, type: "invalid_request_error" } }));
  });
  try {
    const { model } = modelAt(`${host.url}/v1`);
    const formats = { openai: openaiFormat, "openai-responses": openaiFormat, anthropic: openaiFormat, gemini: openaiFormat };
    const setup = { endpoints: new Map([["openai", endpointAt("openai", `${host.url}/v1`, apiKey)]]), formats, limits };
    const call = { messages: [{ role: "user", content: "Hi" }], maxOutputTokens: 16 } as const;
    const { failure } = await readCall(
      stream ? callProvider(model, { ...call, stream }, null, setup) : callProviderWhole(model, { ...call, stream: false }, null, setup),
    );
    expect(failure?.told?.length).toBeGreaterThan(100);
    for (const words of [failure?.told, failure?.message]) {
      expect(words).toContain("Bad request of [key]: ");
      expect(words).not.toMatch(/correct|horse|battery|staple/);
    }
  } finally {
    await host.close();
    await closeProviderPools();
  }
});
