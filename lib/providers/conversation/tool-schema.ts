// The schema of a function's arguments, as OpenAI and Anthropic take it: an object at its root, without variants there ("input_schema does not
// support oneOf, allOf, or anyOf at the top level"; "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
// level"). Generators of schemas write unions so.

import { isRecord } from "../wire-value";

type Schema = Record<string, unknown>;

const refused = ["anyOf", "oneOf", "allOf", "enum", "not"] as const;

/** A schema with more keywords at its root is none that a provider takes: it is sent as it is, since a copy of 100,000 takes a tenth of a second. */
const MAX_KEYWORDS = 1_000;

/** The same schema where it has that form; else one with all properties of its variants, which its description tells. */
export function objectSchema(schema: Schema): Schema {
  if (hasMoreThan(MAX_KEYWORDS, schema)) return schema;
  const variants = refused.filter((keyword) => schema[keyword] !== undefined);
  if (variants.length === 0) return schema.type === "object" ? schema : { ...schema, type: "object" };
  const told = Object.fromEntries(variants.map((keyword) => [keyword, schema[keyword]]));
  const others = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !Object.hasOwn(told, keyword)));
  // A set: many variants may name one definition.
  const parts = new Set(["anyOf", "oneOf", "allOf"].flatMap((keyword) => schema[keyword]).map((part) => resolved(part, schema)));
  const properties = { ...mergedProperties(parts), ...propertiesOf(schema) };
  const description = [schema.description, `The arguments also match this schema: ${JSON.stringify(told)}`].filter(Boolean).join("\n\n");
  return { ...others, type: "object", description, properties };
}

function hasMoreThan(most: number, schema: Schema): boolean {
  let keywords = 0;
  for (const _ in schema) if (++keywords > most) return true;
  return false;
}

const propertiesOf = (schema: unknown): Schema => (isRecord(schema) && isRecord(schema.properties) ? schema.properties : {});

/** A property that variants describe differently, as the name of the variant itself, may be as any of them says. */
function mergedProperties(parts: Iterable<unknown>): Schema {
  const described = new Map<string, Map<string, unknown>>();
  for (const part of parts) {
    for (const [name, schema] of Object.entries(propertiesOf(part))) {
      const known = described.get(name);
      if (known) known.set(JSON.stringify(schema), schema);
      else described.set(name, new Map([[JSON.stringify(schema), schema]]));
    }
  }
  return Object.fromEntries([...described].map(([name, schemas]) => [name, anyOf([...schemas.values()])]));
}

const anyOf = (schemas: readonly unknown[]): unknown => (schemas.length === 1 ? schemas[0] : { anyOf: schemas });

/** A variant that stands among the definitions. */
function resolved(part: unknown, root: Schema): unknown {
  if (!isRecord(part) || typeof part.$ref !== "string") return part;
  const [, place = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(part.$ref) ?? [];
  const definitions = root[place];
  return isRecord(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : part;
}
