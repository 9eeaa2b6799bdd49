// An idle stream gets comment lines, and an active one does not.

import { expect, test } from "vitest";
import { keepAlive } from "./sse-keep-alive";

async function collect(chunks: AsyncIterable<string>): Promise<string[]> {
  const seen: string[] = [];
  for await (const chunk of chunks) seen.push(chunk);
  return seen;
}

test("chunks that arrive in time are passed on unchanged, in order", async () => {
  async function* chunks(): AsyncGenerator<string> {
    yield* ["event: delta\n\n", "", "event: done\n\n"];
  }
  expect(await collect(keepAlive(chunks()))).toEqual(["event: delta\n\n", "", "event: done\n\n"]);
});

test("silence is filled with comment lines until the next chunk, which is not lost", async () => {
  let speak = () => {};
  const silence = new Promise<void>((resolve) => {
    speak = resolve;
  });
  async function* chunks(): AsyncGenerator<string> {
    yield "before";
    await silence;
    yield "after";
  }
  const seen: string[] = [];
  for await (const chunk of keepAlive(chunks(), 5)) {
    seen.push(chunk);
    if (seen.length === 4) speak();
  }
  expect(seen.filter((chunk) => !chunk.startsWith(":"))).toEqual(["before", "after"]);
  expect(seen.slice(1, 4)).toEqual(Array(3).fill(": still here\n\n"));
});

test("a failure reaches the reader", async () => {
  async function* chunks(): AsyncGenerator<string> {
    yield "before";
    throw new Error("gone");
  }
  await expect(collect(keepAlive(chunks(), 5))).rejects.toThrow("gone");
});

test("a reader that leaves in the silence is not kept waiting for the next chunk", async () => {
  const never = new Promise<IteratorResult<string>>(() => {});
  for await (const chunk of keepAlive({ next: () => never }, 1)) {
    expect(chunk).toBe(": still here\n\n");
    break;
  }
});
