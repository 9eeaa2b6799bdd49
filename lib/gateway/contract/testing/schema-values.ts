// Values allowed by a JSON Schema of the OpenAPI document, as fast-check arbitraries.

import fc from "fast-check";
import type { JsonSchema } from "../../openapi/types";

type Schemas = Record<string, JsonSchema>;

/** The most optional fields that one object gets: with all of them some combination is always refused. */
const MAX_OPTIONAL = 3;
/** The range of a number without an upper bound. */
const SPAN = 60;

/** Any value of the schema; `schemas` are the document's components, for its $refs. */
export function valuesOf(schema: JsonSchema, schemas: Schemas = {}): fc.Arbitrary<unknown> {
  const target = schema.$ref && schemas[schema.$ref.replace("#/components/schemas/", "")];
  if (target) return valuesOf(target, schemas);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((one) => valuesOf(one, schemas)));
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? Infinity, (schema.minimum ?? 0) + SPAN) });
    case "number":
      return numberOf(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, schemas), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case "object":
      return objectOf(schema, schemas);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textOf({ format, pattern, minLength = 0, maxLength = 80 }: JsonSchema): fc.Arbitrary<string> {
  const instant = fc
    .date({ min: new Date("2024-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString());
  if (format === "date") return instant.map((text) => text.slice(0, 10));
  if (format === "date-time") return instant;
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, minLength + 80) });
}

// Whole thousandths: finer values are refused where they are money.
function numberOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonSchema): fc.Arbitrary<number> {
  const least = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 0.001);
  const most = maximum ?? (exclusiveMaximum === undefined ? least + SPAN : exclusiveMaximum - 0.001);
  return fc.integer({ min: Math.ceil(least * 1_000), max: Math.floor(most * 1_000) }).map((thousandths) => thousandths / 1_000);
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  const isOpen = typeof additionalProperties === "object";
  if (isOpen) return fc.dictionary(fc.string({ maxLength: 10 }), valuesOf(additionalProperties, schemas), { maxKeys: 3 });
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return fc
    .subarray(optional, { maxLength: Math.min(MAX_OPTIONAL, optional.length) })
    .chain((some) =>
      fc.record(Object.fromEntries([...required, ...some].map((name) => [name, valuesOf(properties[name] ?? {}, schemas)]))),
    );
}
