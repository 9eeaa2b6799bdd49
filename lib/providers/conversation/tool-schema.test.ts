// Schemas whose root is not the plain object that OpenAI and Anthropic take.

import { expect, test } from "vitest";
import { objectSchema } from "./tool-schema";

test("a property that variants describe differently may be as any of them says", () => {
  const circle = { type: "object", properties: { kind: { const: "circle" }, radius: { type: "number" } } };
  const square = { type: "object", properties: { kind: { const: "square" }, side: { type: "number" } } };
  expect(objectSchema({ anyOf: [circle, square] })).toMatchObject({
    type: "object",
    properties: {
      kind: { anyOf: [{ const: "circle" }, { const: "square" }] },
      radius: { type: "number" },
      side: { type: "number" },
    },
  });
});

test("no other keyword of the root is lost, whatever its name", () => {
  const schema = JSON.parse('{"anyOf":[{"properties":{"__proto__":{"type":"string"}}}],"constructor":1,"__proto__":{"x":1}}');
  const written = JSON.stringify(objectSchema(schema));
  expect(written).toContain('"constructor":1');
  expect(written).toContain('"__proto__":{"x":1}');
  expect(written).toContain('"properties":{"__proto__":{"type":"string"}}');
});

test("what has more keywords than any schema is sent as it is", () => {
  const keywords = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
  expect(objectSchema(keywords(1_000))).toMatchObject({ k999: 1, type: "object" });
  const schema = keywords(1_001);
  expect(objectSchema(schema)).toBe(schema);
});
