// How the playground parses responses: events in any chunks, amounts to the nano-dollar, and errors with the numbers for their advice.

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createElement } from "react";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawPage } from "@/components/ui/testing/app-router";
import { estimateMessageTokens, estimateTextTokens } from "@/lib/base/tokens/token-estimate";
import { listModelPrices } from "@/lib/console/models";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { estimateCost } from "./estimate";
import { addCallPiece } from "./follow-run";
import type { RunProblem, ToolCall } from "./run";
import { RunProblemNotice } from "./run-problem-notice";
import { fetchPrice, type PlaygroundEndpoints, type RunEvent, requestAnswer, unreachable } from "./run-request";

let server: Server;
let endpoints: PlaygroundEndpoints;
let reply: (response: ServerResponse) => Promise<void> | void = () => undefined;
const seen: { token: string | undefined; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    seen.push({ token: String(request.headers["x-csrf-token"]), body });
    await reply(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  endpoints = { answerUrl: `${base}/answer`, quoteUrl: `${base}/quote`, csrfToken: "token" };
});
afterAll(() => void server.close());

const fields = { model: "grok", prompt: "Hi", system: undefined, maxTokens: 5, temperature: undefined };
const ever = new AbortController().signal;

async function run(): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of requestAnswer(endpoints, fields, ever)) events.push(event);
  return events;
}

test("events are read whole wherever the network splits them, even inside a character, and comments are ignored", async () => {
  const text = 'Say "totalCost":9 and 🪙';
  const done = `{"success":true,"text":${JSON.stringify(text)},"model":"grok","usage":{"inputTokens":3,"outputTokens":7,"totalTokens":10},"cost":{"inputCost":0.000000003,"outputCost":1234567.123456789,"totalCost":1234567.123456792},"requestId":"req_1"}`;
  const bytes = Buffer.from(`event: delta\ndata: ${JSON.stringify({ text })}\n\n: still here\n\nevent: done\ndata: ${done}\n\n`);
  reply = async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_1" });
    for (const byte of bytes) {
      response.write(Buffer.from([byte]));
      await new Promise((next) => setImmediate(next));
    }
    response.end();
  };
  expect(await run()).toEqual([
    { type: "opened", requestId: "req_1" },
    { type: "text", text },
    {
      type: "done",
      receipt: { inputTokens: 3, outputTokens: 7, inputCost: 3n, outputCost: 1_234_567_123_456_789n, lines: [], borne: 0n },
      payment: null,
    },
  ]);
  expect(seen.at(-1)).toEqual({ token: "token", body: '{"model":"grok","prompt":"Hi","maxTokens":5}' });
});

test("a refusal includes the numbers that its advice needs", async () => {
  reply = (response) =>
    void response
      .writeHead(402)
      .end(
        '{"error":"Insufficient balance","code":"INSUFFICIENT_BALANCE","details":{"currentBalance":0.01,"deficit":0.000000001,"affordableMaxTokens":42},"requestId":"req_2"}',
      );
  expect(await run()).toMatchObject([
    { type: "failed", problem: { code: "INSUFFICIENT_BALANCE", deficit: 1n, affordableMaxTokens: 42, requestId: "req_2", cost: null } },
  ]);
});

test("a stream that breaks off reports its cost; an HTML page instead of an answer is a problem, not an exception", async () => {
  const error = `{"error":"broke off","code":"INTERNAL_ERROR","details":{"cost":{"inputCost":0.1,"outputCost":0.2,"totalCost":0.3}},"requestId":"req_3"}`;
  reply = (response) => void response.writeHead(200).end(`event: error\ndata: ${error}\n\n`);
  expect((await run()).at(-1)).toMatchObject({ type: "failed", problem: { code: "INTERNAL_ERROR", cost: 300_000_000n } });
  reply = (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
  expect(await run()).toMatchObject([{ type: "failed", problem: { code: null, reason: "unreadable" } }]);
  reply = (response) => void response.writeHead(500).end();
  expect(await run()).toMatchObject([{ type: "failed", problem: { code: null, reason: "unreadable" } }]);
});

test("a refused run cost nothing, a broken one what was delivered, and one without an answer refers to the records", async () => {
  const draw = (problem: RunProblem) =>
    drawPage(
      createElement(RunProblemNotice, {
        problem,
        payment: null,
        onLower: () => undefined,
        onAgain: () => undefined,
        onAllow: () => undefined,
      }),
    );
  reply = (response) => void response.writeHead(503).end('{"error":"The service cannot look up who you are.","reason":"unavailable"}');
  const [refused] = await run();
  if (refused?.type !== "failed") throw new Error("it was not refused");
  expect(draw(refused.problem)).toContain("The service cannot look up who you are.");
  expect(draw(refused.problem)).toContain("Nothing was charged.");
  reply = (response) => void response.writeHead(500).end();
  const [empty] = await run();
  if (empty?.type !== "failed") throw new Error("it did not fail");
  for (const problem of [empty.problem, unreachable(false)]) {
    expect(draw(problem)).toContain("No answer arrived");
    expect(draw(problem)).not.toContain("You pay only");
  }
  expect(draw(unreachable(true))).toContain("The run counts as stopped");
});

test("a price is read to the last nano-dollar; a prompt without one gives null", async () => {
  reply = (response) =>
    void response
      .writeHead(200)
      .end('{"model":"grok","inputTokens":24,"ceiling":1234567.123456789,"available":25,"affordableMaxTokens":7,"whenLeft":"drained"}');
  expect(await fetchPrice(endpoints, fields, ever)).toEqual({
    ceiling: 1_234_567_123_456_789n,
    available: 25_000_000_000n,
    inputTokens: 24,
    affordableMaxTokens: 7,
    whenLeft: "drained",
  });
  reply = (response) => void response.writeHead(400).end("{}");
  expect(await fetchPrice(endpoints, fields, ever)).toBeNull();
});

test("the running estimate counts bytes as quotes do, and multiplies by the model's prices", () => {
  setSimulatedProviders({ openai: "http://127.0.0.1:9" });
  const [model] = listModelPrices();
  if (!model) throw new Error("there are no models");
  const written = { ...fields, model: model.id, system: "Be brief. é", prompt: "What is a 🪙 worth?" };
  const text = "Four bytes: 🪙, and some more.";
  const inputTokens = estimateMessageTokens(Buffer.byteLength(written.system + written.prompt), 2);
  const outputTokens = estimateTextTokens(Buffer.byteLength(text));
  expect([inputTokens, outputTokens]).toEqual([15, 8]);
  const price = (perMillion: string) => BigInt(Math.round(Number(perMillion) * 1_000));
  expect(estimateCost(model, written, text)).toBe(
    BigInt(inputTokens) * price(model.inputPrice) + BigInt(outputTokens) * price(model.outputPrice),
  );
});

test("thoughts, tool calls in pieces and the reason of the end are read in their order", async () => {
  const events = [
    ["reasoning", { text: "Hm." }],
    ["delta", { text: "I look." }],
    ["tool_call", { index: 0, id: "call_1", name: "get_weather", arguments: '{"ci' }],
    ["tool_call", { index: 0, arguments: 'ty":"Oslo"}' }],
    ["finish", { reason: "tool_calls", reasoningTokens: 3 }],
  ].map(([name, data]) => `event: ${String(name)}\ndata: ${JSON.stringify(data)}\n\n`);
  reply = (response) => void response.writeHead(200).end(events.join(""));
  const read = await run();
  expect(read.slice(1)).toMatchObject([
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "I look." },
    { type: "tool_call", index: 0, id: "call_1" },
    { type: "tool_call", index: 0 },
    { type: "finish", reason: "tool_calls" },
  ]);
  const pieces = read.flatMap((event) => (event.type === "tool_call" ? [event] : []));
  expect(pieces.reduce<readonly ToolCall[]>(addCallPiece, [])).toEqual([
    { id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
  ]);
});
