// Base URLs that are wrong by a /api or a /v1, HEAD, and errors in the form that a path's clients read.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { ask, expectCommonHeaders, readRaw, sendRaw } from "./testing/client";
import { entryNames, openService, PUBLIC_URL } from "./testing/service";

const service = await openService();

const chat = { model: "gpt-4o-mini", messages: [{ role: "user" as const, content: "Why?" }] };

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    ask({ url, method, path, headers, body: method === "POST" ? chat : undefined });

  test.each([
    ["/v1/chat/completions", "/api/v1/chat/completions"],
    ["/v1/messages", "/api/v1/messages"],
    ["/v1/messages/count_tokens", "/api/v1/messages/count_tokens"],
    ["/v1/responses", "/api/v1/responses"],
    ["/v1/models", "/api/v1/models"],
    ["/v1/models/gpt-4", "/api/v1/models/gpt-4"],
    ["/v1/prompt", "/api/v1/prompt"],
    ["/v1/v1/embeddings", "/api/v1/embeddings"],
    ["/api/v1/v1/messages", "/api/v1/messages"],
    ["/api/v1/api/v1/chat/completions", "/api/v1/chat/completions"],
    ["/api/chat/completions", "/api/v1/chat/completions"],
    ["/api/openai/v1/responses", "/api/v1/responses"],
  ])("%s is not found, in JSON, and %s is named", async (path, meant) => {
    for (const method of ["GET", "POST"]) {
      const answer = await send(method, path, { accept: "text/html", host: "other.example" });
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(answer.text).toContain(`Send it to ${PUBLIC_URL}${meant}`);
      expectCommonHeaders(answer.headers, answer.headers.get("x-request-id") ?? "");
    }
  });

  test("what no endpoint is meant by is not found either, and told where the API is", async () => {
    for (const path of ["/v1/files", "/api/v2/prompt"]) {
      const answer = await send("POST", path);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text).error).toBe(`Not found: ${path}. API paths begin with /api/v1/`);
    }
  });

  test.each([
    ["POST", "/api/v1/messages/batches", 404],
    ["GET", "/api/v1/messages", 405],
    ["DELETE", "/api/v1/messages/count_tokens", 405],
    ["POST", "/v1/messages", 404],
  ])("%s %s is refused in Anthropic's form", async (method, path, status) => {
    const answer = await send(method, path);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({
      type: "error",
      error: {
        type: status === 404 ? "not_found_error" : "invalid_request_error",
        message: expect.any(String),
        code: status === 404 ? "NOT_FOUND" : "METHOD_NOT_ALLOWED",
        details: { docs: expect.any(String) },
      },
      request_id: answer.headers.get("x-request-id"),
    });
  });

  test.each([
    ["GET", "/api/v1/chat/completions", 405],
    ["GET", "/api/v1/chat/completions/chatcmpl-1", 404],
    ["POST", "/api/v1/completions", 404],
    ["GET", "/api/v1/responses/resp_1", 404],
    ["POST", "/api/v1/responses/resp_1/cancel", 404],
    ["DELETE", "/api/v1/responses", 405],
    ["PUT", "/api/v1/embeddings", 405],
  ])("%s %s is refused in OpenAI's form", async (method, path, status) => {
    const answer = await send(method, path);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        message: expect.any(String),
        type: "invalid_request_error",
        param: null,
        code: status === 404 ? "NOT_FOUND" : "METHOD_NOT_ALLOWED",
        details: { docs: expect.any(String) },
        requestId: answer.headers.get("x-request-id"),
      },
    });
  });

  test("an unknown model is named in the form of the client that looks for it", async () => {
    const openai = new OpenAI({ apiKey: "pp_none", baseURL: `${url}/api/v1`, maxRetries: 0 });
    await expect(openai.models.retrieve("no-such")).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
    const anthropic = new Anthropic({ apiKey: "pp_none", baseURL: `${url}/api`, maxRetries: 0 });
    await expect(anthropic.models.retrieve("no-such")).rejects.toMatchObject({
      status: 404,
      error: { error: { type: "not_found_error" } },
    });
    expect(JSON.parse((await send("GET", "/api/v1/models/no-such")).text)).toMatchObject({ error: expect.any(String), code: "NOT_FOUND" });
  });

  test("HEAD is answered like GET, without the body", async () => {
    for (const path of ["/api/v1/models", "/api/health", "/api/v1/payment-terms", "/.well-known/x402", "/api/v1/openapi.json"]) {
      const [got, head] = [await send("GET", path), await send("HEAD", path)];
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
      expect([null, got.headers.get("content-length")]).toContain(head.headers.get("content-length"));
    }
    expect((await send("HEAD", "/api/v1/balance")).status).toBe(401);
  });

  test("a HEAD with keep-alive leaves its connection in order", async () => {
    const request = (method: string, more = "") => `${method} /api/v1/models HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
    const raw = await sendRaw(url, [request("HEAD") + request("GET", "connection: close\r\n")]);
    const [head, got] = raw.split(/(?=HTTP\/1\.1 \d)/);
    expect(head?.endsWith("\r\n\r\n")).toBe(true);
    expect(readRaw(got ?? "").text).toContain('"object":"list"');
  });
});

test.each(["/chat/completions", "/responses", "/messages", "/embeddings"])(
  "our own server answers %s with the path that was meant",
  async (path) => {
    const answer = await ask({ url: service.url("node"), path, body: chat });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain(`Send it to ${PUBLIC_URL}/api/v1${path}`);
  },
);

// Where Next serves the API, a page of its own answers these: no route of it stands at /api.
test("a base URL by itself is no page: Claude Code 2.1 opens its connection with HEAD on it", async () => {
  const url = service.url("node");
  for (const path of ["/api", "/api/", "/api/v1", "/api/v1/"]) {
    const answer = await ask({ url, method: "GET", path, headers: { accept: "text/html" } });
    expect(answer).toMatchObject({ status: 404, text: expect.stringContaining(`Not found: ${path}`) });
    expect((await ask({ url, method: "HEAD", path })).status).toBe(404);
  }
});
