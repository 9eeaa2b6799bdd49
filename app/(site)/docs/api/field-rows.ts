// The document's schemas as rows for readers: each field with its type, its rules and its description.

import type { Field } from "@/components/docs/field-list";
import { countText } from "@/components/ui/text/number-text";
import type { JsonSchema, OpenApiDocument, Parameter } from "@/lib/gateway/openapi/types";

/** Deeper fields are shown in the examples. */
const MAX_LEVELS = 4;

type Schemas = OpenApiDocument["components"]["schemas"];

export const parameterRows = (parameters: readonly Parameter[], schemas: Schemas): Field[] =>
  parameters.map(({ name, in: place, required, description, schema }) => ({
    path: name,
    type: [joined(typesOf(schema, schemas)), ...(place === "query" ? [] : [`in the ${place}`])].join(", "),
    isRequired: required,
    about: description,
  }));

interface Row {
  types: readonly string[];
  isRequired: boolean;
  about: string;
}

/** The described fields of a schema, each below its parent. */
export const fieldRows = (schema: JsonSchema, schemas: Schemas): Field[] =>
  [...rowsOf(schema, schemas, "")].map(([path, { types, isRequired, about }]) => ({ path, type: joined(types), isRequired, about }));

function rowsOf(given: JsonSchema, schemas: Schemas, path: string): Map<string, Row> {
  const schema = resolve(given, schemas);
  const rows = new Map<string, Row>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path === "" ? name : `${path}.${name}`;
    const about = field.description ?? resolve(field, schemas).description;
    if (about === undefined || at.split(".").length > MAX_LEVELS) continue;
    rows.set(at, { types: typesOf(field, schemas), isRequired: schema.required?.includes(name) ?? false, about });
    for (const [inner, row] of rowsOf(field, schemas, at)) rows.set(inner, row);
  }
  if (schema.items) for (const [inner, row] of rowsOf(schema.items, schemas, `${path}[]`)) rows.set(inner, row);
  for (const [inner, row] of rowsOfAny(alternatives(schema), schemas, path)) rows.set(inner, row);
  return rows;
}

/** Alternatives in one list: a field has the types of all of them, and is required if every one requires it. */
function rowsOfAny(parts: readonly JsonSchema[], schemas: Schemas, path: string): Map<string, Row> {
  const lists = parts.map((part) => rowsOf(part, schemas, path)).filter((rows) => rows.size > 0);
  const merged = new Map<string, Row>();
  for (const [at, row] of lists.flatMap((rows) => [...rows])) {
    const known = merged.get(at);
    const isRequired = lists.every((rows) => rows.get(at)?.isRequired);
    merged.set(at, { ...row, isRequired, types: [...(known?.types ?? []), ...row.types] });
  }
  return merged;
}

const resolve = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  schema.$ref ? (schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {}) : schema;

const alternatives = ({ anyOf = [], oneOf = [] }: JsonSchema): readonly JsonSchema[] => [...anyOf, ...oneOf];

/** Each type once, null last. */
function joined(types: readonly string[]): string {
  const all = [...new Set(types)];
  return [...all.filter((type) => type !== "null"), ...all.filter((type) => type === "null")].join(" or ");
}

/** `integer, at least 1`, `array of string`, `"charged"`. */
function typesOf(given: JsonSchema, schemas: Schemas): string[] {
  const schema = resolve(given, schemas);
  const parts = alternatives(schema);
  if (parts.length > 0) return parts.flatMap((part) => typesOf(part, schemas));
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value));
  if (schema.type === "array") return [schema.items ? `array of ${joined(typesOf(schema.items, schemas))}` : "array"];
  return [[baseText(schema), ...rules(schema)].join(", ")];
}

const formats: Record<string, string> = { "date-time": "ISO 8601 time", date: "ISO 8601 date", uri: "URL" };

function baseText({ type, format }: JsonSchema): string {
  if (format && formats[format]) return formats[format];
  if (type === undefined) return "any";
  return typeof type === "string" ? type : type.join(" or ");
}

function rules(schema: JsonSchema): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, default: assumed } = schema;
  const range =
    minimum !== undefined && maximum !== undefined
      ? [`${countText(minimum)} to ${countText(maximum)}`]
      : [...(minimum === undefined ? [] : [`at least ${minimum}`]), ...(maximum === undefined ? [] : [`at most ${maximum}`])];
  const length = maxLength !== undefined ? [`${minLength ?? 0} to ${maxLength} characters`] : minLength === 1 ? ["not empty"] : [];
  return [
    ...range,
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...length,
    ...(assumed === undefined ? [] : [`default ${JSON.stringify(assumed)}`]),
  ];
}
