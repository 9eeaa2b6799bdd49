// A JSON Schema in the subset that structured outputs accept: every object closed, nothing recursive, no limits on numbers and
// lengths ("JSON Schema limitations"). Limits move into the description, as in Anthropic's own SDKs.

import { processSingleton } from "@/lib/base/process-singleton";
import { runAtOnce, type Slices } from "@/lib/base/slices";
import { isRecord } from "../wire-value";

type Schema = Record<string, unknown>;

/**
 * A schema whose answers all satisfy the given one, except its limits; undefined where no such schema leaves the model what it
 * needs: objects with arbitrary keys, recursion, values of any type.
 */
export const narrowSchema = (schema: Schema): Schema | undefined => runAtOnce(narrowSchemaInSlices(schema));

/** The narrowed form of each schema: the bound of a request narrows it in slices (token-bound.ts), and it is written from here. */
const narrowedSchemas = processSingleton("anthropic schemas", () => new WeakMap<Schema, { narrowed: Schema | undefined }>());

/** The same in slices; a second call returns the first result. */
export function* narrowSchemaInSlices(schema: Schema): Slices<Schema | undefined> {
  const known = narrowedSchemas().get(schema);
  if (known) return known.narrowed;
  const narrowed = (yield* isExpressible(schema, { root: schema, settled: new Set() }, 0)) ? yield* narrow(schema) : undefined;
  narrowedSchemas().set(schema, { narrowed });
  return narrowed;
}

/** Deeper than any handwritten schema; a recursive schema always exceeds it. */
const maxDepth = 32;

interface Walk {
  root: Schema;
  /** References known to be expressible, so that each is followed only once. */
  settled: Set<string>;
}

function* isExpressible(schema: unknown, walk: Walk, depth: number): Slices<boolean> {
  yield;
  if (!isRecord(schema) || depth > maxDepth) return false;
  if (schema.$ref === undefined ? isOpen(schema) : !(yield* isReferenceExpressible(schema.$ref, walk, depth))) return false;
  for (const part of subschemas(schema)) if (!(yield* isExpressible(part, walk, depth + 1))) return false;
  return true;
}

function* isReferenceExpressible(reference: unknown, walk: Walk, depth: number): Slices<boolean> {
  if (typeof reference !== "string") return false;
  if (walk.settled.has(reference)) return true;
  const [, place = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  const definitions = walk.root[place];
  if (!isRecord(definitions) || !(yield* isExpressible(definitions[name], walk, depth + 1))) return false;
  walk.settled.add(reference);
  return true;
}

/** True for a schema that leaves keys, items or the whole value free; closing it would take that freedom away. */
function isOpen(schema: Schema): boolean {
  const has = (keyword: string) => schema[keyword] !== undefined;
  if (has("allOf") || has("patternProperties") || has("prefixItems")) return true;
  // Keys beside the keys of variants: closing each on its own would leave no answer that satisfies both.
  if (has("anyOf") || has("oneOf")) return isObject(schema);
  if (has("enum") || has("const")) return false;
  if ([schema.type].flat().includes("array") && !has("items")) return true;
  if (!isObject(schema)) return !has("type");
  const hasKeys = isRecord(schema.properties) && Object.keys(schema.properties).length > 0;
  return schema.additionalProperties !== false && (has("additionalProperties") || !hasKeys);
}

function isObject(schema: Schema): boolean {
  return schema.properties !== undefined || [schema.type].flat().includes("object");
}

function subschemas(schema: Schema): unknown[] {
  const { properties = {}, $defs = {}, definitions = {}, anyOf = [], oneOf = [], items } = schema;
  const maps = [properties, $defs, definitions].flatMap((map) => (isRecord(map) ? Object.values(map) : [undefined]));
  const lists = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [undefined]));
  return items === undefined ? [...maps, ...lists] : [...maps, ...lists, items];
}

const heldKeywords = new Set(["$ref", "type", "title", "description", "enum", "const", "required"]);
const heldFormats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]);

function* narrow(schema: Schema): Slices<Schema> {
  yield;
  const narrowed: Schema = {};
  // Without a prototype: a client may call a keyword `__proto__`.
  const leftOut = Object.create(null) as Schema;
  for (const [keyword, value] of Object.entries(schema)) {
    if (isRecord(value) && (keyword === "properties" || keyword === "$defs" || keyword === "definitions")) {
      const parts: [string, unknown][] = [];
      for (const [name, part] of Object.entries(value)) parts.push([name, yield* narrowPart(part)]);
      narrowed[keyword] = Object.fromEntries(parts);
    } else if (keyword === "anyOf" || keyword === "oneOf") {
      const variants: unknown[] = [];
      for (const variant of [value].flat()) variants.push(yield* narrowPart(variant));
      narrowed.anyOf = variants;
    } else if (keyword === "items") {
      narrowed.items = yield* narrowPart(value);
    } else if (isHeld(keyword, value)) {
      narrowed[keyword] = value;
    } else if (!["$schema", "$id", "additionalProperties"].includes(keyword)) {
      leftOut[keyword] = value;
    }
  }
  if (isObject(schema)) narrowed.additionalProperties = false;
  if (Object.keys(leftOut).length > 0) narrowed.description = [schema.description, JSON.stringify(leftOut)].filter(Boolean).join("\n\n");
  return narrowed;
}

function* narrowPart(part: unknown): Slices<unknown> {
  return isRecord(part) ? yield* narrow(part) : part;
}

function isHeld(keyword: string, value: unknown): boolean {
  if (keyword === "format") return heldFormats.has(String(value));
  // Of the array size limits, only "at least none" and "at least one" are supported.
  if (keyword === "minItems") return value === 0 || value === 1;
  return heldKeywords.has(keyword);
}
