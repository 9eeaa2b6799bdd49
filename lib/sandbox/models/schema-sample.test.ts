import { expect, test } from "vitest";
import { sampleOf } from "./schema-sample";

test("each type gets its value, and an object its required properties", () => {
  const schema = {
    type: "object",
    properties: {
      word: { type: "string" },
      count: { type: "integer" },
      share: { type: "number" },
      yes: { type: "boolean" },
      nothing: { type: "null" },
      colour: { enum: ["red", "blue"] },
      fixed: { const: 7 },
      list: { type: "array", items: { type: "object", properties: { id: { type: "string", format: "uuid" } } } },
      optional: { type: "string" },
    },
    required: ["word", "count", "share", "yes", "nothing", "colour", "fixed", "list"],
  };
  expect(sampleOf(schema)).toEqual({
    word: "example",
    count: 1,
    share: 1,
    yes: true,
    nothing: null,
    colour: "red",
    fixed: 7,
    list: [{ id: "00000000-0000-4000-8000-000000000000" }],
  });
});

test("limits are respected", () => {
  expect(sampleOf({ type: "integer", minimum: 5, multipleOf: 4 })).toBe(8);
  expect(sampleOf({ type: "number", maximum: -2 })).toBe(-2);
  expect(sampleOf({ type: "string", minLength: 9 })).toBe("exampleex");
  expect(sampleOf({ type: "string", maxLength: 3 })).toBe("exa");
  expect(sampleOf({ type: "array", minItems: 2, items: { type: "integer" } })).toEqual([1, 1]);
  expect(sampleOf({ type: "ARRAY", minItems: "2", items: { type: "INTEGER" } })).toEqual([1, 1]);
  expect(sampleOf({ type: "array", maxItems: 0 })).toEqual([]);
});

test("alternatives, references and combinations are followed", () => {
  const schema = {
    $defs: { "a/b": { type: "integer" } },
    properties: {
      one: { $ref: "#/$defs/a~1b" },
      other: { anyOf: [{ type: "boolean" }, { type: "null" }] },
      maybe: { type: ["string", "null"] },
    },
    allOf: [{ properties: { more: { type: "string" } }, required: ["more"] }, { required: ["one"] }],
    required: ["other", "maybe"],
  };
  expect(sampleOf(schema)).toEqual({ other: true, maybe: "example", more: "example", one: 1 });
});

test("a recursive schema terminates, however wide it is", () => {
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])), required: names };
  expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(300_000);
});

test("an invalid schema gives a word", () => {
  for (const schema of [undefined, true, {}, "string"]) expect(sampleOf(schema)).toBe("example");
});
