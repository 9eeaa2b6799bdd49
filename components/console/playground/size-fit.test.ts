// A request above what the service takes is known before it is sent, with its size and the limit.

import { expect, test } from "vitest";
import { writeBody } from "./chat/body";
import { messagesOf } from "./chat/conversation";
import { findSizeProblem, sizeText } from "./size-fit";

const bodyOf = (text: string, url?: string) =>
  writeBody({ model: "grok" }, messagesOf(undefined, [], { kind: "message", text, images: url ? [{ name: "a", url }] : [] }));

test.each(["plain ", "é中🪙", '"\\\n\u0001'])("a body of %j is measured as it is sent", (piece) => {
  for (const times of [1, 500, 2_000, 20_000]) {
    const body = bodyOf(piece.repeat(times));
    const bytes = Buffer.byteLength(JSON.stringify(body));
    expect(findSizeProblem(body, bytes)).toBeNull();
    expect(findSizeProblem(body, bytes - 1)).toEqual({ bytes, limitBytes: bytes - 1 });
  }
});

test("images count", () => {
  const body = bodyOf("What is it?", `data:image/png;base64,${"A".repeat(100_000)}`);
  expect(findSizeProblem(body, 100_000)?.bytes).toBe(JSON.stringify(body).length);
});

test("a size is never rounded down to the limit", () => {
  expect([sizeText(1_000_001), sizeText(33_554_433), sizeText(999)]).toEqual(["1.1 MB", "33.6 MB", "1.0 kB"]);
});
