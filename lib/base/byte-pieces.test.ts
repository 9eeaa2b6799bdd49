// Pieces of any size, joined: the same bytes, in few objects.

import fc from "fast-check";
import { expect, test } from "vitest";
import { BytePieces } from "./byte-pieces";

test("a mebibyte that comes byte by byte is kept in few objects", () => {
  const pieces = new BytePieces();
  for (let index = 0; index < 1_048_576; index++) pieces.push(Uint8Array.of(index & 0xff));
  expect(pieces.count).toBeLessThan(100);
  expect(pieces.join().equals(Buffer.from(Uint8Array.from({ length: 1_048_576 }, (_, index) => index & 0xff)))).toBe(true);
});

test("pieces of any size are joined in their order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 60 }), (sizes) => {
      const pieces = new BytePieces();
      const sent = sizes.map((size, index) => Buffer.alloc(size, index + 1));
      for (const one of sent) pieces.push(one);
      expect(pieces.join().equals(Buffer.concat(sent))).toBe(true);
      pieces.clear();
      expect([pieces.count, pieces.join().length]).toEqual([0, 0]);
    }),
  );
});
