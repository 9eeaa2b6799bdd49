// Which of a provider's ids becomes the call's: the header that its support asks for, otherwise the id in the body, of the attempt
// whose answer was used; malformed ids are ignored.

import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "@/lib/base/config";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { anthropicFormat } from "./anthropic";
import { callProvider, callProviderWhole } from "./call";
import { endpointAt } from "./endpoints";
import { geminiFormat } from "./gemini";
import type { ModelRoute, ProviderId, WireFormatId } from "./model-route";
import { openaiFormat } from "./openai";
import { responsesFormat } from "./openai-responses";
import { limits, modelAt, readCall } from "./testing/call-kit";
import { type Behaviour, type ProviderServer, startProvider } from "./testing/provider-server";
import { fixtureBytes, inPieces } from "./testing/replay";
import { closeProviderPools } from "./transport";
import { isProviderFailure } from "./types";

const formats = { openai: openaiFormat, "openai-responses": responsesFormat, anthropic: anthropicFormat, gemini: geminiFormat };
const servers: ProviderServer[] = [];
let rawServer: Server | undefined;

beforeEach(() => {
  replaceSingleton("config", readConfig({}));
  forgetSingleton("circuitBreakers");
});
afterEach(async () => {
  await closeProviderPools();
  for (const server of servers.splice(0)) await server.close();
  rawServer?.close();
  forgetSingleton("config");
});

async function provider(behave: Behaviour): Promise<string> {
  const server = await startProvider(behave);
  servers.push(server);
  return server.url;
}

interface Asked {
  provider: ProviderId;
  url: string;
}

/** A call in the providers' real wire formats, to these providers in order. */
function callAt(targets: [Asked, ...Asked[]], stream: boolean) {
  const [first, ...others] = targets.map(({ provider: id }): ModelRoute => ({ provider: id, wireName: "a-model" }));
  if (!first) throw new Error("nobody is asked");
  const model = { ...modelAt(targets[0].url).model, routes: [first, ...others] as const };
  const endpoints = new Map(targets.map(({ provider: id, url }) => [id, endpointAt(id, url, "sk-key")]));
  const setup = { endpoints, formats, limits };
  const call = { messages: [{ role: "user" as const, content: "hello" }], maxOutputTokens: 16 };
  return stream
    ? callProvider(model, { ...call, stream: true }, null, setup)
    : callProviderWhole(model, { ...call, stream: false }, null, setup);
}

async function requestIdOf(targets: [Asked, ...Asked[]], stream: boolean): Promise<string | undefined> {
  const { answer, failure } = await readCall(callAt(targets, stream));
  expect(failure).toBeUndefined();
  return answer.requestId;
}

const answering =
  (format: WireFormatId, name: string, headers: Record<string, string | string[]> = {}): Behaviour =>
  (response) =>
    response.writeHead(200, headers).end(fixtureBytes(format, name));

const plain = (stream: boolean) => (stream ? "plain.sse" : "plain.json");
const bodyId = "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT";

describe.each([true, false])("stream: %s", (stream) => {
  test.each([
    ["openai", "openai", "x-request-id"],
    ["xai", "openai", "x-request-id"],
    ["deepseek", "openai", "x-ds-trace-id"],
    ["anthropic", "anthropic", "request-id"],
  ] as const)("%s: the header that its support asks for wins over similar headers", async (id, format, header) => {
    // Proxies add such headers too.
    const others = { "x-request": "no", "request-id": "no", "x-request-id": "no", "x-ds-trace-id": "no", "cf-ray": "no" };
    const url = await provider(answering(format, plain(stream), { ...others, [header]: "req_011CSHoEeqs5C35K2UUqR7Fy" }));
    expect(await requestIdOf([{ provider: id, url }], stream)).toBe("req_011CSHoEeqs5C35K2UUqR7Fy");
  });

  test.each([
    ["openai", "openai", bodyId],
    ["deepseek", "openai", bodyId],
    ["anthropic", "anthropic", stream ? "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY" : "msg_013Zva2CMHLNnXjNJJKqJ2EF"],
    ["gemini", "gemini", "mAitaLmkHPPlz7IPvtfUqQ4"],
  ] as const)("%s: the id in the body counts without such a header", async (id, format, expected) => {
    const url = await provider(answering(format, plain(stream), { "x-other-id": "no" }));
    expect(await requestIdOf([{ provider: id, url }], stream)).toBe(expected);
  });

  test.each([
    ["empty", ""],
    ["with a space", "two words"],
    ["beyond ASCII", "req_\u00fc"],
    ["too long", "x".repeat(129)],
  ])("a header that is %s is ignored", async (_, value) => {
    const url = await provider(answering("openai", plain(stream), { "x-request-id": value }));
    expect(await requestIdOf([{ provider: "openai", url }], stream)).toBe(bodyId);
  });

  test.each(["7", "null", '""', '"two words"', '"a\\nb"', '"\\u0000"', `"${"x".repeat(129)}"`, "{}"])(
    "an id in the body that is not plain text is ignored and does not fail the answer: %s",
    async (id) => {
      const usage = { prompt_tokens: 1, completion_tokens: 1 };
      const choice = { message: { content: "Hi" }, delta: { content: "Hi" }, finish_reason: "stop" };
      const body = `{"id":${id},${JSON.stringify({ choices: [choice], usage }).slice(1)}`;
      const url = await provider((response) => response.end(stream ? `data: ${body}\n\ndata: [DONE]\n\n` : body));
      const { answer, text } = await readCall(callAt([{ provider: "openai", url }], stream));
      expect({ text, requestId: answer.requestId }).toEqual({ text: "Hi", requestId: undefined });
    },
  );

  test("an id of 128 characters is kept whole; of a repeated header the first counts", async () => {
    const id = "x".repeat(128);
    const url = await provider(answering("openai", plain(stream), { "x-request-id": [id, "second"] }));
    expect(await requestIdOf([{ provider: "openai", url }], stream)).toBe(id);
  });

  test("the header's name is case-insensitive, and white space around its value is trimmed", async () => {
    const body = fixtureBytes("openai", plain(stream));
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nX-REQUEST-Id:  req_1 \t\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body);
      });
    });
    rawServer = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    expect(await requestIdOf([{ provider: "openai", url: `http://127.0.0.1:${address.port}` }], stream)).toBe("req_1");
  });

  test("after retries and failover it is the id of the answer that was used, not of an earlier one", async () => {
    const broken: Behaviour = (response, nth) => {
      if (nth === 0) response.writeHead(503, { "x-request-id": "refused" }).end("{}");
      else response.writeHead(200, { "x-request-id": "broken-off" }).end("no answer");
    };
    const urls = [await provider(broken), await provider(answering("gemini", plain(stream)))] as const;
    const targets: [Asked, Asked] = [
      { provider: "openai", url: urls[0] },
      { provider: "gemini", url: urls[1] },
    ];
    expect(await requestIdOf(targets, stream)).toBe("mAitaLmkHPPlz7IPvtfUqQ4");
    expect(servers[0]?.requests).toHaveLength(2);

    const withoutId = `{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}`;
    targets[1].url = await provider((response) => response.end(stream ? `data: ${withoutId}\n\n` : withoutId));
    expect(await requestIdOf(targets, stream)).toBeUndefined();
  });

  test("a call without an answer has no id", async () => {
    const url = await provider((response) => response.writeHead(400, { "x-request-id": "refused" }).end("{}"));
    const { answer, failure } = await readCall(callAt([{ provider: "openai", url }], stream));
    expect([failure?.kind, answer.requestId]).toEqual(["rejected", undefined]);
  });
});

test.each([
  ["openai", "openai", bodyId],
  ["anthropic", "anthropic", "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY"],
  ["gemini", "gemini", "mAitaLmkHPPlz7IPvtfUqQ4"],
] as const)("%s: an abandoned stream has its id from its first event on", async (id, format, expected) => {
  const url = await provider(answering(format, "plain.sse"));
  const call = callAt([{ provider: id, url }], true);
  const events = await call.events;
  if (!("next" in events)) throw new Error("no stream");
  await events.next();
  expect(call.answer.requestId).toBe(expected);
  await events.return?.();
  expect(call.answer.requestId).toBe(expected);
});

test("a whole answer has its id once its headers have arrived, before its body", async () => {
  const url = await provider((response) => {
    response.writeHead(200, { "x-request-id": "req_early" }).write(" ", () => response.destroy());
  });
  const { answer, failure } = await readCall(callAt([{ provider: "openai", url }], false));
  expect(failure).toMatchObject({ kind: "malformed", accepted: true });
  expect(answer.requestId).toBe("req_early");
});

test.each([
  ["openai", /"id": ?"([^"]+)"/],
  ["anthropic", /"id": ?"([^"]+)"/],
  ["gemini", /"responseId": ?"([^"]+)"/],
] as const)("%s: every fixture of an answer yields its id, however it is chunked", async (id, inBody) => {
  const names = readdirSync(new URL(`./${id}/fixtures/`, import.meta.url)).filter((name) => /\.(?:json|sse)$/.test(name));
  let answers = 0;
  for (const name of names) {
    const bytes = fixtureBytes(id, name);
    const ids = new Set<unknown>();
    const take = (given: unknown) => ids.add(given);
    try {
      const { readReply, readStream } = formats[id];
      if (name.endsWith(".json")) readReply(bytes.toString(), take);
      else for await (const _ of readStream(inPieces(bytes, 7), take));
    } catch (error) {
      // Some fixtures are errors and truncated answers.
      if (isProviderFailure(error)) continue;
      throw error;
    }
    const standing = inBody.exec(bytes.toString())?.[1];
    ids.delete(undefined);
    expect([...ids], name).toEqual(standing === undefined ? [] : [standing]);
    answers += 1;
  }
  expect(answers).toBeGreaterThan(15);
});
