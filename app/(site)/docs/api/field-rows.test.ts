// Schemas as rows: types and rules as text, alternatives merged into one list.

import { expect, test } from "vitest";
import type { JsonSchema } from "@/lib/gateway/openapi/types";
import { fieldRows, parameterRows } from "./field-rows";

const described = (schema: JsonSchema): JsonSchema => ({ description: "It is.", ...schema });
const objectOf = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const typeOf = (schema: JsonSchema): string => fieldRows(objectOf({ it: described(schema) }), {})[0]?.type ?? "";

test.each<[string, JsonSchema]>([
  ["integer, at least 1", { type: "integer", minimum: 1 }],
  ["number, 0 to 2", { type: "number", minimum: 0, maximum: 2 }],
  ["number, above 0 or null", { anyOf: [{ type: "null" }, { type: "number", exclusiveMinimum: 0 }] }],
  ["string, not empty", { type: "string", minLength: 1 }],
  ["string, 1 to 255 characters", { type: "string", minLength: 1, maxLength: 255 }],
  ["array of string", { type: "array", items: { type: "string" } }],
  ['"a" or "b"', { type: "string", enum: ["a", "b"] }],
  ["true", { type: "boolean", const: true }],
  ["ISO 8601 time", { type: "string", format: "date-time" }],
  ["boolean, default false", { type: "boolean", default: false }],
  ["any", {}],
])("a field of type: %s", (text, schema) => {
  expect(typeOf(schema)).toBe(text);
});

test("fields follow their parent, also through references, and undescribed fields are omitted", () => {
  const schemas = { Cost: objectOf({ total: described({ type: "number" }), hidden: { type: "string" } }, ["total"]) };
  const items = objectOf({ cost: described({ $ref: "#/components/schemas/Cost" }) });
  expect(fieldRows(objectOf({ rows: described({ type: "array", items }) }), schemas)).toEqual([
    { path: "rows", type: "array of object", isRequired: false, about: "It is." },
    { path: "rows[].cost", type: "object", isRequired: false, about: "It is." },
    { path: "rows[].cost.total", type: "number", isRequired: true, about: "It is." },
  ]);
});

test("a field is required if every alternative requires it, and lists each type once", () => {
  const text = described({ type: "string" });
  const one = objectOf({ role: described({ const: "user" }), content: text }, ["role", "content"]);
  const other = objectOf({ role: described({ const: "tool" }), content: text, id: text }, ["role", "id"]);
  expect(fieldRows({ oneOf: [one, other] }, {})).toEqual([
    { path: "role", type: '"user" or "tool"', isRequired: true, about: "It is." },
    { path: "content", type: "string", isRequired: false, about: "It is." },
    { path: "id", type: "string", isRequired: false, about: "It is." },
  ]);
});

test("a parameter says where it goes, unless it is a query parameter", () => {
  const parameter = { name: "id", required: true, description: "Which.", schema: { type: "string" } };
  expect(parameterRows([{ ...parameter, in: "path" }], {})[0]?.type).toBe("string, in the path");
  expect(parameterRows([{ ...parameter, in: "query" }], {})[0]?.type).toBe("string");
});
