// Schemas as rows: types and rules in words, alternatives in one list.

import { expect, test } from "vitest";
import type { JsonSchema } from "@/lib/gateway/openapi/types";
import { fieldRows, parameterRows } from "./field-rows";

const told = (schema: JsonSchema): JsonSchema => ({ description: "It is.", ...schema });
const objectOf = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const typeOf = (schema: JsonSchema): string => fieldRows(objectOf({ it: told(schema) }), {})[0]?.type ?? "";

test.each<[string, JsonSchema]>([
  ["integer, at least 1", { type: "integer", minimum: 1 }],
  ["number, 0 to 2", { type: "number", minimum: 0, maximum: 2 }],
  ["number, above 0 or null", { anyOf: [{ type: "null" }, { type: "number", exclusiveMinimum: 0 }] }],
  ["string, not empty", { type: "string", minLength: 1 }],
  ["string, 1 to 255 characters", { type: "string", minLength: 1, maxLength: 255 }],
  ["array of string", { type: "array", items: { type: "string" } }],
  ['"a" or "b"', { type: "string", enum: ["a", "b"] }],
  ["true", { type: "boolean", const: true }],
  ["instant, ISO 8601", { type: "string", format: "date-time" }],
  ["boolean, false if left out", { type: "boolean", default: false }],
  ["any", {}],
])("a field of type: %s", (text, schema) => {
  expect(typeOf(schema)).toBe(text);
});

test("fields stand below what they are part of, by reference too, and those without a sentence stay away", () => {
  const schemas = { Cost: objectOf({ total: told({ type: "number" }), hidden: { type: "string" } }, ["total"]) };
  const items = objectOf({ cost: told({ $ref: "#/components/schemas/Cost" }) });
  expect(fieldRows(objectOf({ rows: told({ type: "array", items }) }), schemas)).toEqual([
    { path: "rows", type: "array of object", isRequired: false, about: "It is." },
    { path: "rows[].cost", type: "object", isRequired: false, about: "It is." },
    { path: "rows[].cost.total", type: "number", isRequired: true, about: "It is." },
  ]);
});

test("of alternatives a field is required where each of them requires it, and has each type once", () => {
  const text = told({ type: "string" });
  const one = objectOf({ role: told({ const: "user" }), content: text }, ["role", "content"]);
  const other = objectOf({ role: told({ const: "tool" }), content: text, id: text }, ["role", "id"]);
  expect(fieldRows({ oneOf: [one, other] }, {})).toEqual([
    { path: "role", type: '"user" or "tool"', isRequired: true, about: "It is." },
    { path: "content", type: "string", isRequired: false, about: "It is." },
    { path: "id", type: "string", isRequired: false, about: "It is." },
  ]);
});

test("a parameter says where it goes, unless it is part of the query", () => {
  const parameter = { name: "id", required: true, description: "Which.", schema: { type: "string" } };
  expect(parameterRows([{ ...parameter, in: "path" }], {})[0]?.type).toBe("string, in the path");
  expect(parameterRows([{ ...parameter, in: "query" }], {})[0]?.type).toBe("string");
});
