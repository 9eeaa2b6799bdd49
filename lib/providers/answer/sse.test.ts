import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inPieces } from "../testing/replay";
import { isProviderFailure } from "../types";
import { readServerSentEvents } from "./sse";

async function eventsOf(text: string | Uint8Array, options: { size?: number; maxEventSize?: number } = {}): Promise<string[]> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const events: string[] = [];
  for await (const batch of readServerSentEvents(inPieces(bytes, options.size), options.maxEventSize)) events.push(...batch);
  return events;
}

describe("one event", () => {
  test.each([
    ["a data line with one space after the colon", "data: a\n\n", ["a"]],
    ["a data line without a space", "data:a\n\n", ["a"]],
    ["only the first space is dropped", "data:  a \n\n", [" a "]],
    ["several data lines are one event", "data: a\ndata: b\n\n", ["a\nb"]],
    ["an empty data line counts", "data\n\n", [""]],
    ["comments are passed over", ": keep-alive\n\ndata: a\n: x\n\n", ["a"]],
    ["names, ids and unknown fields are passed over", "event: ping\nid: 7\nretry: 1\ndatabase: x\ndata: a\n\n", ["a"]],
    ["an event without data is none", "event: ping\n\ndata: a\n\n", ["a"]],
    ["a byte order mark is dropped", "\ufeffdata: a\n\n", ["a"]],
    ["a byte order mark later is text", "data: \ufeffa\n\n", ["\ufeffa"]],
    ["an event that is not closed is dropped", "data: a\n\ndata: b\n", ["a"]],
    ["an empty stream has none", "", []],
  ])("%s", async (_, text, expected) => {
    expect(await eventsOf(text)).toEqual(expected);
    expect(await eventsOf(text, { size: 1 })).toEqual(expected);
  });

  test.each(["\n", "\r\n", "\r"])("lines may end with %j, however they are chunked", async (newline) => {
    const text = ["data: a", "data: b", "", ": c", "data: d", "", ""].join(newline);
    for (let size = 1; size <= text.length; size++) expect(await eventsOf(text, { size })).toEqual(["a\nb", "d"]);
  });

  test("bytes that are not UTF-8 become replacement characters", async () => {
    expect(await eventsOf(Buffer.concat([Buffer.from("data: a"), Buffer.from([0xff]), Buffer.from("b\n\n")]))).toEqual(["a\ufffdb"]);
  });

  test("a chunk whose memory its sender reuses is not read twice", async () => {
    const shared = new Uint8Array(4);
    async function* reusing(): AsyncGenerator<Uint8Array> {
      for (const piece of ["data", ": 12", "34\n\n"]) {
        shared.set(new TextEncoder().encode(piece));
        yield shared;
      }
    }
    const events: string[] = [];
    for await (const batch of readServerSentEvents(reusing())) events.push(...batch);
    expect(events).toEqual(["1234"]);
  });
});

describe("the size limit", () => {
  test.each([
    ["a line that never ends", `data: ${"x".repeat(2000)}`],
    ["an event of too many lines", `${"data: xxxxxxxxx\n".repeat(200)}\n`],
    ["a comment that never ends", `: ${"x".repeat(2000)}`],
  ])("%s fails as malformed, whole or in pieces", async (_, text) => {
    for (const size of [text.length, 64]) {
      const error: unknown = await eventsOf(text, { size, maxEventSize: 1000 }).catch((caught: unknown) => caught);
      expect(isProviderFailure(error) && [error.kind, error.accepted]).toEqual(["malformed", true]);
    }
  });

  test("many events together may be larger than one event", async () => {
    expect(await eventsOf("data: x\n\n".repeat(1000), { maxEventSize: 1000 })).toHaveLength(1000);
  });
});

test("any text in any lines comes out as it went in, however its bytes are chunked", async () => {
  const line = fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, "").toWellFormed());
  const event = fc.array(line, { minLength: 1, maxLength: 3 });
  const cases = fc.record({
    events: fc.array(event, { maxLength: 5 }),
    newline: fc.constantFrom("\n", "\r\n", "\r"),
    size: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ events, newline, size }) => {
      const text = events.map((lines) => [...lines.map((each) => `data: ${each}`), "", ""].join(newline)).join("");
      expect(await eventsOf(text, { size })).toEqual(events.map((lines) => lines.join("\n")));
    }),
  );
});

test("an error of the chunks passes through untouched", async () => {
  const reason = new Error("socket closed");
  async function* breaking(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("data: a\n\n");
    throw reason;
  }
  const iterator = readServerSentEvents(breaking());
  expect((await iterator.next()).value).toEqual(["a"]);
  await expect(iterator.next()).rejects.toBe(reason);
});
