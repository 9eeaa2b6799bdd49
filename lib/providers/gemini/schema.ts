// JSON Schemas in the part of JSON Schema that Gemini takes (`parametersJsonSchema` and `responseJsonSchema`,
// ai.google.dev/api/generate-content, read 2026-11-28): these keywords and no others, and beside a `$ref` only such as begin with `$`. A
// rule without a keyword there is told in the description: the model reads it all the same.

import { processSingleton } from "@/lib/base/process-singleton";
import { runAtOnce, type Slices } from "@/lib/base/slices";
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

/** Parts that lie deeper, or come after so many others, are sent as they are: no tool has so many, and each takes time. */
const MAX_DEPTH = 64;
const MAX_PARTS = 2_000;

/** So many keywords, names or variants take some hundredth of a millisecond. */
const STEPS_AT_ONCE = 64;

/**
 * The narrowed form of each schema: the bound of a request narrows its schemas in slices (token-bound.ts), and they are written from here.
 */
const narrowedSchemas = processSingleton("gemini schemas", () => new WeakMap<Schema, Schema>());

/** The schemas of one request. */
export class GeminiSchemas {
  #parts = 0;
  #steps = 0;

  /** The schema of a function's arguments, or of an answer. */
  of(schema: Schema): Schema {
    return runAtOnce(this.inSlices(schema));
  }

  /** The same in slices; a second call returns the first result. */
  *inSlices(schema: Schema): Slices<Schema> {
    const known = narrowedSchemas().get(schema);
    if (known) return known;
    const narrowed = yield* this.#narrow(schema, 0);
    narrowedSchemas().set(schema, narrowed);
    return narrowed;
  }

  *#narrow(schema: Schema, depth: number): Slices<Schema> {
    this.#parts += 1;
    if (depth > MAX_DEPTH || this.#parts > MAX_PARTS) return schema;
    const narrowed = emptySchema();
    const told = emptySchema();
    for (const [keyword, value] of Object.entries(withDefs(schema))) {
      if (this.#isLong()) yield;
      const list = listOf(keyword, value, schema);
      if (maps.has(keyword) && isRecord(value)) narrowed[keyword] = yield* this.#narrowMap(value, depth);
      else if (list) narrowed[list] = yield* this.#narrowList(value as unknown[], depth);
      else if (single.has(keyword) && !Array.isArray(value)) narrowed[keyword] = yield* this.#narrowPart(value, depth);
      else if (kept.has(keyword)) narrowed[keyword] = value;
      else if (!silent.has(keyword)) addOther(keyword, value, { schema, narrowed, told });
    }
    yield* this.#addRequired(schema, narrowed, told);
    if (schema.$ref !== undefined && narrowed.anyOf !== undefined) told.$ref = schema.$ref;
    if (Object.keys(told).length > 0) narrowed.description = [schema.description, JSON.stringify(told)].filter(Boolean).join("\n\n");
    return besideRef(narrowed);
  }

  *#narrowMap(fields: Schema, depth: number): Slices<Schema> {
    const narrowed = emptySchema();
    for (const [name, part] of Object.entries(fields)) {
      if (this.#isLong()) yield;
      narrowed[name] = yield* this.#narrowPart(part, depth);
    }
    return narrowed;
  }

  *#narrowList(parts: readonly unknown[], depth: number): Slices<unknown[]> {
    const narrowed: unknown[] = [];
    for (const part of parts) {
      if (this.#isLong()) yield;
      narrowed.push(yield* this.#narrowPart(part, depth));
    }
    return narrowed;
  }

  *#narrowPart(part: unknown, depth: number): Slices<unknown> {
    return isRecord(part) ? yield* this.#narrow(part, depth + 1) : part;
  }

  /** "property is not defined": names that are none of the properties are refused, as in a variant that only says what it requires. */
  *#addRequired({ required, properties }: Schema, narrowed: Schema, told: Schema): Slices<void> {
    if (!Array.isArray(required)) return;
    const defined: unknown[] = [];
    const others: unknown[] = [];
    for (const name of required) {
      if (this.#isLong()) yield;
      const isDefined = typeof name === "string" && isRecord(properties) && Object.hasOwn(properties, name);
      (isDefined ? defined : others).push(name);
    }
    if (defined.length > 0) narrowed.required = defined;
    if (others.length > 0) told.required = others;
  }

  #isLong(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS_AT_ONCE === 0;
  }
}

/** Without a prototype: a client may call a keyword or a property `__proto__`. */
const emptySchema = (): Schema => Object.create(null) as Schema;

/** The keyword under which a list of schemas is sent. */
function listOf(keyword: string, value: unknown, schema: Schema): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (lists.has(keyword)) return keyword;
  if (keyword === "items") return "prefixItems";
  return keyword === "allOf" && value.length === 1 && schema.anyOf === undefined ? "anyOf" : undefined;
}

interface Narrowing {
  schema: Schema;
  narrowed: Schema;
  told: Schema;
}

/** Keywords that can be said in others; the rest is told. */
function addOther(keyword: string, value: unknown, { schema, narrowed, told }: Narrowing): void {
  const integer = schema.type === "integer" && typeof value === "number" ? value : undefined;
  if (keyword === "$ref" && typeof value === "string") narrowed.$ref = value.replace(/^#\/definitions\//, "#/$defs/");
  else if (keyword === "enum" && areScalars(value)) narrowed.enum = value;
  else if (keyword === "const" && areScalars([value]) && schema.enum === undefined) narrowed.enum = [value];
  else if (keyword === "exclusiveMinimum" && integer !== undefined && schema.minimum === undefined)
    narrowed.minimum = Math.floor(integer) + 1;
  else if (keyword === "exclusiveMaximum" && integer !== undefined && schema.maximum === undefined)
    narrowed.maximum = Math.ceil(integer) - 1;
  else told[keyword] = value;
}

/** "enum (for strings and numbers)". */
const areScalars = (values: unknown): boolean =>
  Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === "string" || typeof one === "number");

/** "If $ref is set on a sub-schema, no other properties, except for those starting with $, may be set." */
function besideRef(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...others } = schema;
  if (Object.keys(others).every((name) => name.startsWith("$"))) return schema;
  return others.anyOf === undefined ? { ...others, anyOf: [{ $ref }] } : others;
}

/** Older schemas call `$defs` `definitions`. */
function withDefs(schema: Schema): Schema {
  if (!isRecord(schema.definitions)) return schema;
  const { definitions, ...others } = schema;
  return { ...others, $defs: { ...(definitions as Schema), ...(isRecord(schema.$defs) ? schema.$defs : undefined) } };
}
