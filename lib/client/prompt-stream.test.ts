// Streams against a real server: whole however the bytes are split, distinguished from broken ones, and never paid twice.

import { describe, expect, test } from "vitest";
import { ConnectionError, hasCode, PennyPrompt, type PennyPromptOptions, type StreamEvent } from "./pennyprompt";
import { ANSWER, delta, event, fault, openScriptedService, REQUEST_ID, reset, stream, WHOLE_STREAM } from "./testing/scripted-service";

const service = openScriptedService();
const request = { model: "gpt-4o-mini", prompt: "Hello" };

const openClient = (options: Partial<PennyPromptOptions> = {}) =>
  new PennyPrompt({ apiKey: "pp_test", baseUrl: service.url, sleep: async () => undefined, ...options });

/** Everything that a stream delivered, and the error it threw. */
async function readAll(events: AsyncIterable<StreamEvent>) {
  let text = "";
  let answer: unknown;
  try {
    for await (const event of events) {
      if (event.type === "delta") text += event.text;
      else answer = event.answer;
    }
  } catch (error) {
    return { text, answer, error };
  }
  return { text, answer, error: undefined };
}

const broken = (details: object = {}) =>
  event("error", {
    error: "It broke off",
    code: "INTERNAL_ERROR",
    details: { reason: "provider_unavailable", ...details },
    requestId: REQUEST_ID,
  });

describe("a whole stream", () => {
  test("cut in two at every byte", async () => {
    const bytes = Buffer.from(WHOLE_STREAM);
    const client = openClient();
    for (let at = 1; at < bytes.length; at++) {
      service.answer(stream([bytes.subarray(0, at), bytes.subarray(at)]));
      expect(await readAll(client.stream(request)), `cut at ${at}`).toEqual({ text: ANSWER.text, answer: ANSWER, error: undefined });
    }
  });

  test.each(["\n", "\r\n", "\r"])("byte by byte, with lines that end in %j", async (newline) => {
    service.answer(stream(Array.from(Buffer.from(WHOLE_STREAM.replaceAll("\n", newline)), (byte) => Uint8Array.of(byte))));
    expect(await readAll(openClient().stream(request))).toEqual({ text: ANSWER.text, answer: ANSWER, error: undefined });
  });

  test("its request sets stream and carries a key", async () => {
    service.answer(stream([WHOLE_STREAM]));
    await openClient()
      .stream({ ...request, maxTokens: 9 }, { idempotencyKey: "mine" })
      .text();
    expect(service.received).toMatchObject([{ method: "POST", path: "/api/v1/prompt", headers: { "idempotency-key": "mine" } }]);
    expect(JSON.parse(service.received[0]?.body ?? "")).toEqual({ ...request, maxTokens: 9, stream: true });
  });

  test("text() and finalAnswer() work after a part was read, and twice", async () => {
    service.answer(stream([WHOLE_STREAM]));
    expect(await openClient().stream(request).text()).toBe(ANSWER.text);
    const events = openClient().stream(request);
    expect((await events[Symbol.asyncIterator]().next()).value).toEqual({ type: "delta", text: "Grüße, " });
    expect(await events.finalAnswer()).toEqual(ANSWER);
    expect(await events.finalAnswer()).toEqual(ANSWER);
    expect(service.received).toHaveLength(2);
  });

  test("a server that keeps the connection open after done does not delay the answer", async () => {
    service.answer(stream([WHOLE_STREAM], "stay"));
    expect(await openClient().stream(request).finalAnswer()).toEqual(ANSWER);
  });

  test("nothing is sent before the stream is read", async () => {
    openClient().stream(request);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(service.received).toEqual([]);
  });
});

describe("a stream that breaks", () => {
  test.each(["close", "reset"] as const)(
    "by %s after its first piece throws with its request id and key, and is not retried",
    async (end) => {
      service.answer(stream([delta("Grüße, "), 'event: delta\ndata: {"te'], end), stream([WHOLE_STREAM]));
      const { text, error } = await readAll(openClient().stream(request, { idempotencyKey: "mine" }));
      expect(text).toBe("Grüße, ");
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ requestId: REQUEST_ID, idempotencyKey: "mine" });
      expect(service.received).toHaveLength(1);
    },
  );

  test("before its first piece is retried under the same key", async () => {
    service.answer(reset, stream([": keep-alive\n\n"], "reset"), stream([WHOLE_STREAM]));
    expect(await readAll(openClient().stream(request))).toMatchObject({ text: ANSWER.text, error: undefined });
    expect(new Set(service.received.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(service.received).toHaveLength(3);
  });

  test("with an error event throws it, with its cost, and is not retried", async () => {
    for (const pieces of [
      [delta("Grüße, "), broken({ retryable: true, cost: ANSWER.cost })],
      [broken({ retryable: true, cost: ANSWER.cost })],
    ]) {
      service.received.length = 0;
      service.answer(stream(pieces), stream([WHOLE_STREAM]));
      const { error } = await readAll(openClient().stream(request));
      expect(hasCode(error, "INTERNAL_ERROR") && error.details.cost?.totalCost).toBe(ANSWER.cost.totalCost);
      expect(error).toMatchObject({ status: 200, requestId: REQUEST_ID, message: "It broke off" });
      expect(service.received).toHaveLength(1);
    }
  });

  test("by silence throws after timeoutMs, which keep-alive comments extend", async () => {
    const comments = Array.from({ length: 8 }, () => ": keep-alive\n\n");
    service.answer(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": REQUEST_ID });
      for (const piece of [delta("a"), ...comments, delta("b")]) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    });
    const { text, error } = await readAll(openClient({ timeoutMs: 2_000 }).stream(request));
    expect(text).toBe("ab");
    expect(error).toMatchObject({ name: "ConnectionError", message: "Nothing came from the service for 2000 ms", requestId: REQUEST_ID });
  });

  test("with an error before it begins keeps its status, and a 402 is not retried", async () => {
    service.answer(fault(402, "INSUFFICIENT_BALANCE", { deficit: 0.25 }), stream([WHOLE_STREAM]));
    const { error } = await readAll(openClient().stream(request));
    expect(hasCode(error, "INSUFFICIENT_BALANCE") && [error.status, error.details.deficit]).toEqual([402, 0.25]);
    expect(service.received).toHaveLength(1);
  });

  test("and was abandoned by its reader has no final answer", async () => {
    service.answer(stream([WHOLE_STREAM]));
    const events = openClient().stream(request);
    for await (const _event of events) break;
    await expect(events.finalAnswer()).rejects.toThrow("before its end");
  });
});

test("leaving the loop closes the connection", async () => {
  const closed = new Promise<void>((resolve) => {
    service.answer(async (response) => {
      response.once("close", resolve);
      await stream([delta("a")], "stay")(response);
    });
  });
  for await (const _event of openClient().stream(request)) break;
  await closed;
});
