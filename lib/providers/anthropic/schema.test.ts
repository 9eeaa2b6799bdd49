import { expect, test } from "vitest";
import { narrowSchema, narrowSchemaInSlices } from "./schema";

const city = { type: "string" };
const objectOf = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

test("every object is closed, and supported keywords stay", () => {
  const schema = objectOf(
    { place: objectOf({ city }, { required: ["city"] }), tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 1 } },
    { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Trip", required: ["place"], additionalProperties: false },
  );
  expect(narrowSchema(schema)).toEqual(
    objectOf(
      {
        place: objectOf({ city }, { required: ["city"], additionalProperties: false }),
        tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 1 },
      },
      { title: "Trip", required: ["place"], additionalProperties: false },
    ),
  );
});

test("limits become part of the description", () => {
  const schema = objectOf({
    age: { type: "integer", description: "In years.", minimum: 0, maximum: 150 },
    when: { type: "string", format: "date-time" },
    phone: { type: "string", format: "phone" },
    pair: { type: "array", items: city, minItems: 2, maxItems: 2 },
  });
  expect(narrowSchema(schema)?.properties).toEqual({
    age: { type: "integer", description: 'In years.\n\n{"minimum":0,"maximum":150}' },
    when: { type: "string", format: "date-time" },
    phone: { type: "string", description: '{"format":"phone"}' },
    pair: { type: "array", items: city, description: '{"minItems":2,"maxItems":2}' },
  });
});

test("variants are anyOf, each of them closed", () => {
  expect(narrowSchema(objectOf({ value: { oneOf: [objectOf({ city }), { type: "null" }] } }))?.properties).toEqual({
    value: { anyOf: [objectOf({ city }, { additionalProperties: false }), { type: "null" }] },
  });
});

test("definitions are closed in place, and a reference stays a reference, at the root too", () => {
  const $defs = { place: objectOf({ city, near: { $ref: "#/$defs/point" } }), point: objectOf({ x: { type: "number" } }) };
  expect(narrowSchema({ $ref: "#/$defs/place", $defs })).toEqual({
    $ref: "#/$defs/place",
    $defs: {
      place: objectOf({ city, near: { $ref: "#/$defs/point" } }, { additionalProperties: false }),
      point: objectOf({ x: { type: "number" } }, { additionalProperties: false }),
    },
  });
});

test("an object that allows no keys is expressible; an object that allows any keys is not", () => {
  expect(narrowSchema(objectOf({}, { additionalProperties: false }))).toEqual(objectOf({}, { additionalProperties: false }));
  expect(narrowSchema({ type: "object" })).toBeUndefined();
});

test.each<[string, object]>([
  ["a map", { type: "object", additionalProperties: city }],
  ["keys beside the named ones", objectOf({ city }, { additionalProperties: true })],
  ["a free object that may be null", { type: ["object", "null"] }],
  ["keys by pattern", objectOf({ city }, { patternProperties: { "^x-": city } })],
  ["a value of any kind", {}],
  ["a list of anything", { type: "array" }],
  ["a tuple", { type: "array", prefixItems: [city], items: city }],
  ["a tuple as it was written once", { type: "array", items: [city, city] }],
  ["two schemas at once", { allOf: [objectOf({ city }), objectOf({ x: city })] }],
  ["keys beside those of variants", objectOf({ city }, { anyOf: [objectOf({ x: city }), objectOf({ y: city })] })],
  ["true for a schema", { type: "array", items: true }],
  ["a reference to the whole", objectOf({ child: { $ref: "#" } })],
  ["a reference elsewhere", { $ref: "https://example.com/schema.json" }],
  ["a reference to nothing", { $ref: "#/$defs/toString", $defs: {} }],
  ["a reference that is no text", { $ref: 7 }],
  ["definitions that are no map", objectOf({ city }, { $defs: [city] })],
  ["variants that are no list", { anyOf: city }],
])("has no narrow form: %s", (_, schema) => {
  expect(narrowSchema(objectOf({ value: { ...schema } }))).toBeUndefined();
  expect(narrowSchema({ ...schema })).toBeUndefined();
});

test("recursion has no narrow form, however it is branched or hidden", () => {
  const tree = objectOf({ left: { $ref: "#/$defs/tree" }, right: { $ref: "#/$defs/tree" } });
  expect(narrowSchema(objectOf({ tree: { $ref: "#/$defs/tree" } }, { $defs: { tree } }))).toBeUndefined();
  const round = { a: objectOf({ b: { $ref: "#/$defs/b" } }), b: { type: "array", items: { $ref: "#/$defs/a" } } };
  expect(narrowSchema({ $ref: "#/$defs/a", $defs: round })).toBeUndefined();
});

test("definitions that reference each other repeatedly are followed once each", () => {
  const both = (name: string) => objectOf({ left: { $ref: `#/$defs/${name}` }, right: { $ref: `#/$defs/${name}` } });
  const chain = Array.from({ length: 14 }, (_, level) => [`d${level}`, level === 13 ? city : both(`d${level + 1}`)]);
  expect(narrowSchema({ $ref: "#/$defs/d0", $defs: Object.fromEntries(chain) })).toBeDefined();
});

test("a schema nested thousands of levels deep is refused like any other that is too deep", () => {
  let schema: Record<string, unknown> = city;
  for (let level = 0; level < 20_000; level++) schema = { type: "array", items: schema };
  expect(narrowSchema(schema)).toBeUndefined();
});

test("a large schema is narrowed in slices, once, and is sent as it was made then", () => {
  const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: "string", minLength: 1 }]));
  const schema = { type: "object", properties, additionalProperties: false };
  const work = narrowSchemaInSlices(schema);
  let slices = 0;
  let step = work.next();
  for (; !step.done; step = work.next()) slices += 1;
  expect(slices).toBeGreaterThan(10_000);
  expect(step.value).toBeDefined();
  expect(narrowSchema(schema)).toBe(step.value);
});

test("a keyword named __proto__ is told like any other", () => {
  const schema = JSON.parse('{"type":"string","__proto__":{"a":1}}');
  expect(narrowSchema(schema)).toEqual({ type: "string", description: '{"__proto__":{"a":1}}' });
});
