// Generates a value that fits a JSON Schema, deterministically: what a model would fill in, without a model. Gemini's upper-case types are
// supported too. Patterns and conditions are ignored.

const WORD = "example";
const TEXT_OF_FORMAT = new Map([
  ["date", "2025-01-01"],
  ["time", "00:00:00Z"],
  ["date-time", "2025-01-01T00:00:00Z"],
  ["email", "someone@example.com"],
  ["uri", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

// A schema may refer to itself and so describe an infinite value.
const DEEPEST = 12;
const MAX_VALUES = 2000;
const LONGEST_TEXT = 1000;
const MAX_ITEMS = 100;

type Schema = Record<string, unknown>;

interface Walk {
  root: unknown;
  valuesLeft: number;
}

/**
 * A value for `schema`: required properties (all, when `required` is absent), a word, 1, true, the first of an enum or of alternatives, one
 * item. Null where an infinite schema is cut.
 */
export function sampleOf(schema: unknown): unknown {
  return sample(schema, 0, { root: schema, valuesLeft: MAX_VALUES });
}

function sample(given: unknown, depth: number, walk: Walk): unknown {
  if (depth > DEEPEST || walk.valuesLeft-- <= 0) return null;
  if (!isSchema(given)) return WORD;
  if (typeof given.$ref === "string") return sample(resolve(given.$ref, walk.root), depth + 1, walk);
  if ("const" in given) return given.const;
  if (Array.isArray(given.enum) && given.enum.length > 0) return given.enum[0];
  const [alternative] = listOf(given.anyOf ?? given.oneOf);
  if (alternative !== undefined) return sample(alternative, depth + 1, walk);
  const schema = listOf(given.allOf).filter(isSchema).reduce(merge, given);
  switch (typeOf(schema)) {
    case "object":
      return sampleObject(schema, depth, walk);
    case "array":
      return sampleArray(schema, depth, walk);
    case "number":
    case "integer":
      return sampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return sampleText(schema);
  }
}

function typeOf(schema: Schema): string {
  const [type] = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type];
  if (typeof type === "string") return type.toLowerCase();
  return "properties" in schema ? "object" : "items" in schema || "prefixItems" in schema ? "array" : "string";
}

function sampleObject(schema: Schema, depth: number, walk: Walk): Schema {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = listOf(schema.required).filter((name) => typeof name === "string");
  const names = required.length > 0 ? required : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, sample(properties[name], depth + 1, walk)]));
}

function sampleArray(schema: Schema, depth: number, walk: Walk): unknown[] {
  const first = listOf(schema.prefixItems);
  const wanted = Math.max(first.length, 1, numberOf(schema.minItems) ?? 1);
  const length = Math.min(wanted, numberOf(schema.maxItems) ?? wanted, MAX_ITEMS);
  return Array.from({ length }, (_, index) => sample(first[index] ?? schema.items, depth + 1, walk));
}

function sampleNumber(schema: Schema): number {
  const above = numberOf(schema.exclusiveMinimum);
  const below = numberOf(schema.exclusiveMaximum);
  const least = numberOf(schema.minimum) ?? (above === undefined ? 1 : above + 1);
  const most = numberOf(schema.maximum) ?? (below === undefined ? Number.POSITIVE_INFINITY : below - 1);
  const value = Math.min(Math.max(1, least), most);
  const step = numberOf(schema.multipleOf);
  return step === undefined || step <= 0 ? value : Math.ceil(value / step) * step;
}

function sampleText(schema: Schema): string {
  const text = TEXT_OF_FORMAT.get(String(schema.format)) ?? WORD;
  const least = Math.min(numberOf(schema.minLength) ?? 0, LONGEST_TEXT);
  return text.padEnd(least, WORD).slice(0, numberOf(schema.maxLength) ?? LONGEST_TEXT);
}

function merge(one: Schema, other: Schema): Schema {
  return {
    ...one,
    ...other,
    properties: { ...(isSchema(one.properties) && one.properties), ...(isSchema(other.properties) && other.properties) },
    required: [...listOf(one.required), ...listOf(other.required)],
  };
}

/** The schema that `#/$defs/name` refers to. */
function resolve(reference: string, root: unknown): unknown {
  const steps = reference.split("/").slice(1);
  return steps.reduce<unknown>((at, step) => (isSchema(at) ? at[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined), root);
}

// Gemini may write the numbers of its schemas as strings, as protocol buffers do for 64-bit integers.
function numberOf(value: unknown): number | undefined {
  const read = typeof value === "string" ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);
