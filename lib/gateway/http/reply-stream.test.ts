// A streamed reply ends its request exactly once, however its reader behaves.

import { expect, test } from "vitest";
import { readableOf } from "./reply-stream";
import type { GatewayReply } from "./request";

function replyOf(chunks: AsyncIterable<string>, stallTimeoutMs?: number) {
  let ends = 0;
  let printEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    printEnd = resolve;
  });
  const reply: GatewayReply = {
    status: 200,
    headers: {},
    body: chunks,
    end: async () => {
      ends += 1;
      printEnd();
    },
  };
  return { stream: readableOf(reply, chunks, stallTimeoutMs), ended, ends: () => ends };
}

async function* say(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

test("a stream that is read to its end is whole, as UTF-8, and ends the request once", async () => {
  const { stream, ended, ends } = replyOf(say("one ", "é", " 🦘"));
  expect(await new Response(stream).text()).toBe("one é 🦘");
  await ended;
  expect(ends()).toBe(1);
});

test("an empty stream ends the request", async () => {
  const { stream, ended } = replyOf(say());
  expect(await new Response(stream).text()).toBe("");
  await ended;
});

test("a cancelled stream ends the request before it waits for the pending chunk", async () => {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  async function* slow(): AsyncGenerator<string> {
    yield "first";
    await stopped; // only the end of the request stops the call
  }
  const { stream, ended } = replyOf(slow());
  void ended.then(stop);
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  await ended;
});

test("a stream that is never read ends its request when its first chunk has waited too long", async () => {
  const { ended, ends } = replyOf(say("first", "second"), 20);
  await ended;
  expect(ends()).toBe(1);
});

test("a reader that stops reading gets an error that it stalled", async () => {
  const { stream, ended } = replyOf(say("first", "second", "third"), 20);
  const reader = stream.getReader();
  await reader.read();
  await ended;
  await expect(reader.read()).rejects.toThrow("stalled");
});

test("a failure of the chunks ends the request and fails the stream", async () => {
  async function* broken(): AsyncGenerator<string> {
    yield "first";
    throw new Error("the ledger is away");
  }
  const { stream, ended, ends } = replyOf(broken());
  await expect(new Response(stream).text()).rejects.toThrow("the ledger is away");
  await ended;
  expect(ends()).toBe(1);
});
