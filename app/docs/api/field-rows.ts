// Schemas of the document as rows that a person reads: each field with its type, its rules and its sentence.

import type { Field } from "@/components/docs/field-list";
import type { JsonSchema, OpenApiDocument, Parameter } from "@/lib/gateway/openapi/types";

/** Deeper fields are seen in the examples. */
const MOST_LEVELS = 4;

type Schemas = OpenApiDocument["components"]["schemas"];

export const parameterRows = (parameters: readonly Parameter[], schemas: Schemas): Field[] =>
  parameters.map(({ name, in: place, required, description, schema }) => ({
    path: name,
    type: [typeText(schema, schemas), ...(place === "query" ? [] : [`in the ${place}`])].join(", "),
    isRequired: required,
    about: description,
  }));

/** The described fields of a schema, each below what it is part of. */
export function fieldRows(schema: JsonSchema, schemas: Schemas): Field[] {
  const rows = new Map<string, Field>();
  addRows(rows, schema, schemas, "");
  return [...rows.values()];
}

function addRows(rows: Map<string, Field>, given: JsonSchema, schemas: Schemas, path: string): void {
  const schema = resolve(given, schemas);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path === "" ? name : `${path}.${name}`;
    const about = field.description ?? resolve(field, schemas).description;
    if (about === undefined || at.split(".").length > MOST_LEVELS) continue;
    const type = typeText(field, schemas);
    const known = rows.get(at);
    // The same field of another alternative: it may be of another type there, and be missing.
    const types = known && known.type !== type ? `${known.type} or ${type}` : type;
    rows.set(at, { path: at, type: types, isRequired: (known?.isRequired ?? true) && (schema.required?.includes(name) ?? false), about });
    addRows(rows, field, schemas, at);
  }
  if (schema.items) addRows(rows, schema.items, schemas, `${path}[]`);
  for (const part of alternatives(schema)) addRows(rows, part, schemas, path);
}

const resolve = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  schema.$ref ? (schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {}) : schema;

const alternatives = ({ anyOf = [], oneOf = [] }: JsonSchema): readonly JsonSchema[] => [...anyOf, ...oneOf];

/** `integer, at least 1`, `array of string`, `"charged" or "in_progress"`. */
function typeText(given: JsonSchema, schemas: Schemas): string {
  const schema = resolve(given, schemas);
  const parts = alternatives(schema);
  if (parts.length > 0) return [...new Set(parts.map((part) => typeText(part, schemas)))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.type === "array") return ["array", ...itemsText(schema, schemas)].join(" of ");
  return [baseText(schema), ...rules(schema)].join(", ");
}

function itemsText({ items }: JsonSchema, schemas: Schemas): string[] {
  const text = items ? typeText(items, schemas) : "";
  return text === "" ? [] : [text];
}

const formats: Record<string, string> = { "date-time": "instant, ISO 8601", date: "day, ISO 8601", uri: "URL" };

function baseText({ type, format }: JsonSchema): string {
  if (format && formats[format]) return formats[format];
  if (type === undefined) return "any";
  return typeof type === "string" ? type : type.join(" or ");
}

function rules(schema: JsonSchema): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, default: assumed } = schema;
  const range =
    minimum !== undefined && maximum !== undefined
      ? [`${minimum.toLocaleString("en-US")} to ${maximum.toLocaleString("en-US")}`]
      : [...(minimum === undefined ? [] : [`at least ${minimum}`]), ...(maximum === undefined ? [] : [`at most ${maximum}`])];
  const length = maxLength !== undefined ? [`${minLength ?? 0} to ${maxLength} characters`] : minLength === 1 ? ["not empty"] : [];
  return [
    ...range,
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...length,
    ...(assumed === undefined ? [] : [`${JSON.stringify(assumed)} if left out`]),
  ];
}
