// The client's types, made from the document: a declaration for each schema, error and query that the client speaks of.

import type { JsonSchema, OpenApiDocument, Operation } from "../types";

/** The requests and answers of the client's methods, and what they refer to. */
const spoken = [
  "PromptBody",
  "PromptAnswer",
  "EmbeddingBody",
  "EmbeddingList",
  "Quote",
  "Model",
  "ModelList",
  "Balance",
  "UsagePage",
  "DepositPage",
  "Receipt",
  "Event",
  "EventList",
  "AuditPage",
  "PaymentTerms",
];

const opening = `// Generated from the OpenAPI document by \`npm run client-types\`: do not change it here. Amounts are USD.\n`;

type Schemas = OpenApiDocument["components"]["schemas"];

/** The text of lib/client/api-types.ts. */
export function clientTypes({ components, paths }: OpenApiDocument): string {
  const declared = spoken.map((name) => declaration(name, components.schemas[name] ?? {}));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return [opening, ...declared, ...operations.flatMap(queryOf), declaration("ErrorDetails", errorDetails(components.schemas))].join("\n");
}

/** What is asked for in the URL of an operation; nothing for most. */
function queryOf({ operationId, summary, parameters = [] }: Operation): string[] {
  const asked = parameters.filter((parameter) => parameter.in === "query");
  const properties = Object.fromEntries(asked.map(({ name, description, schema }) => [name, { ...schema, description }]));
  const name = `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Query`;
  return asked.length === 0 ? [] : [declaration(name, { type: "object", description: `${summary}.`, properties })];
}

/** By code; `docs` is in all of them. */
function errorDetails(schemas: Schemas): JsonSchema {
  const details = Object.values(schemas).flatMap(({ description, properties = {} }) => {
    const { docs: _, ...own } = properties.details?.properties ?? {};
    const code = properties.code?.const;
    return code === undefined ? [] : [[String(code), { ...properties.details, description, properties: own }] as const];
  });
  return {
    description: "The details of each error code, besides docs.",
    type: "object",
    properties: Object.fromEntries(details),
    required: details.map(([code]) => code),
  };
}

const declaration = (name: string, schema: JsonSchema): string => `${comment(schema, "")}export type ${name} = ${typeOf(schema, "")};\n`;

const comment = ({ description }: JsonSchema, indent: string): string => (description ? `${indent}/** ${description} */\n` : "");

function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, type, enum: values = "const" in schema ? [schema.const] : undefined } = schema;
  const parts = schema.anyOf ?? schema.oneOf;
  if ($ref) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (parts) return unionOf(parts.map((part) => typeOf(part, indent)));
  if (values) return unionOf(values.map((value) => JSON.stringify(value)));
  if (typeof type === "object") return unionOf(type.map((one) => typeOf({ ...schema, type: one }, indent)));
  if (type === "array") return arrayOf(typeOf(schema.items ?? {}, indent));
  if (type === "object") return objectType(schema, indent);
  return type === "integer" ? "number" : (type ?? "unknown");
}

const unionOf = (parts: readonly string[]): string => [...new Set(parts)].join(" | ");
const arrayOf = (item: string): string => (/^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`);

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const inside = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, field]) => `${comment(field, inside)}${inside}${name}${required.includes(name) ? "" : "?"}: ${typeOf(field, inside)};\n`,
  );
  if (typeof additionalProperties === "object") fields.push(`${inside}[field: string]: ${typeOf(additionalProperties, inside)};\n`);
  return fields.length === 0 ? "Record<string, unknown>" : `{\n${fields.join("")}${indent}}`;
}
