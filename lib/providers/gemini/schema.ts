// JSON Schemas in the part of JSON Schema that Gemini takes (`parametersJsonSchema` and `responseJsonSchema`,
// ai.google.dev/api/generate-content, read 2026-11-28): these keywords and no others, and beside a `$ref` only such as begin with `$`. What
// has no keyword there is told in the description: the model reads it all the same.

import { isRecord } from "../wire-value";

type Schema = Record<string, unknown>;

const kept = new Set(["$id", "$anchor", "type", "format", "title", "description", "minItems", "maxItems", "minimum", "maximum"]);
/** Of schemas by name, of lists of schemas, and of one schema. */
const maps = new Set(["$defs", "properties"]);
const lists = new Set(["anyOf", "oneOf", "prefixItems"]);
const single = new Set(["items", "additionalProperties"]);
/** They say nothing to a model. */
const silent = new Set([
  "$schema",
  "$comment",
  "examples",
  "example",
  "readOnly",
  "writeOnly",
  "deprecated",
  "contentEncoding",
  "required",
]);

/** What lies deeper, or comes after so many parts, is sent as it is: no tool has so many, and each takes time. */
const MAX_DEPTH = 64;
const MAX_PARTS = 2_000;

/** The schemas of one request. */
export class GeminiSchemas {
  #parts = 0;

  /** The schema of a function's arguments, or of an answer. */
  of(schema: Schema): Schema {
    return this.#narrow(schema, 0);
  }

  #narrow(schema: Schema, depth: number): Schema {
    this.#parts += 1;
    if (depth > MAX_DEPTH || this.#parts > MAX_PARTS) return schema;
    const narrowed: Schema = {};
    const told: Schema = {};
    const part = (value: unknown): unknown => (isRecord(value) ? this.#narrow(value, depth + 1) : value);
    for (const [keyword, value] of Object.entries(withDefs(schema))) {
      if (maps.has(keyword) && isRecord(value)) narrowed[keyword] = mapValues(value, part);
      else if (lists.has(keyword) && Array.isArray(value)) narrowed[keyword] = value.map(part);
      else if (single.has(keyword) && !Array.isArray(value)) narrowed[keyword] = part(value);
      else if (kept.has(keyword)) narrowed[keyword] = value;
      else if (!silent.has(keyword)) addOther(keyword, value, { schema, narrowed, told, part });
    }
    addRequired(schema, narrowed, told);
    if (schema.$ref !== undefined && narrowed.anyOf !== undefined) told.$ref = schema.$ref;
    if (Object.keys(told).length > 0) narrowed.description = [schema.description, JSON.stringify(told)].filter(Boolean).join("\n\n");
    return besideRef(narrowed);
  }
}

interface Narrowing {
  schema: Schema;
  narrowed: Schema;
  told: Schema;
  part: (value: unknown) => unknown;
}

/** Keywords that can be said in others; the rest is told. */
function addOther(keyword: string, value: unknown, { schema, narrowed, told, part }: Narrowing): void {
  const integer = schema.type === "integer" && typeof value === "number" ? value : undefined;
  if (keyword === "$ref" && typeof value === "string") narrowed.$ref = value.replace(/^#\/definitions\//, "#/$defs/");
  else if (keyword === "enum" && areScalars(value)) narrowed.enum = value;
  else if (keyword === "const" && areScalars([value]) && schema.enum === undefined) narrowed.enum = [value];
  else if (keyword === "exclusiveMinimum" && integer !== undefined && schema.minimum === undefined)
    narrowed.minimum = Math.floor(integer) + 1;
  else if (keyword === "exclusiveMaximum" && integer !== undefined && schema.maximum === undefined)
    narrowed.maximum = Math.ceil(integer) - 1;
  else if (keyword === "items" && Array.isArray(value)) narrowed.prefixItems = value.map(part);
  else if (keyword === "allOf" && Array.isArray(value) && value.length === 1 && schema.anyOf === undefined)
    narrowed.anyOf = value.map(part);
  else told[keyword] = value;
}

/** "enum (for strings and numbers)". */
const areScalars = (values: unknown): boolean =>
  Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === "string" || typeof one === "number");

/** "property is not defined": names that are none of the properties are refused, as in a variant that only says what it requires. */
function addRequired({ required, properties }: Schema, narrowed: Schema, told: Schema): void {
  if (!Array.isArray(required)) return;
  const isDefined = (name: unknown): boolean => typeof name === "string" && isRecord(properties) && Object.hasOwn(properties, name);
  const defined = required.filter(isDefined);
  if (defined.length > 0) narrowed.required = defined;
  if (defined.length < required.length) told.required = required.filter((name) => !isDefined(name));
}

/** "If $ref is set on a sub-schema, no other properties, except for those starting with $, may be set." */
function besideRef(schema: Schema): Schema {
  const { $ref, ...others } = schema;
  if ($ref === undefined || Object.keys(others).every((name) => name.startsWith("$"))) return schema;
  return others.anyOf === undefined ? { ...others, anyOf: [{ $ref }] } : others;
}

/** Older schemas call `$defs` `definitions`. */
function withDefs(schema: Schema): Schema {
  const { definitions, ...others } = schema;
  if (!isRecord(definitions)) return schema;
  return { ...others, $defs: { ...definitions, ...(isRecord(schema.$defs) ? schema.$defs : undefined) } };
}

const mapValues = (fields: Schema, change: (value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));
